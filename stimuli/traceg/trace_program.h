#pragma once
// This file has kernels whose instructions come from a trace of Accel-Sim (.traceg, .tracez). The trace is
// read as blocks are started.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/traceg/block_reader.h"
#include "stimuli/traceg/machine_code.h"
#include "stimuli/traceg/stored_block_reader.h"
#include "stimuli/traceg/stored_trace_writer.h"

namespace heddle {

// Block n of a TraceProgram is the n-th block of the file. Blocks that are read before they are started stay
// in memory or in the spool file.
//
// The blocks come from the text of the trace, or from its stored form in the cache (stored_form.h). Where the
// cache has none, the program writes it while it reads the text to its end.
class TraceProgram final : public KernelProgram {
 public:
  // Reads the header and the first block. Errors here and in start() are config::Error, "file:line: message".
  // `cache` is the user's cache folder. If it is empty, or if the file is a pipe, no cache is read or
  // written. `tells_branches` is that of TraceBlock. Instructions get control bits from `machine_code`, if it
  // has the kernel; null: none do.
  explicit TraceProgram(const std::string& file, const TraceLimits& limits = {}, bool with_phases = false,
                        const std::string& cache = "", bool tells_branches = false,
                        std::shared_ptr<const MachineCode> machine_code = nullptr);

  BlockStream& start(BlockId block) override;
  void finish(BlockStream& stream) override;
  void drop(BlockStream& stream, BlockId block) override;
  const std::vector<PhaseNeeds>& phases() const override { return phases_.needs; }

  const TraceHeader& header() const { return header_; }
  // The memory of the blocks that have not ended.
  std::uint64_t resident_bytes() const { return addresses_ + pool_.bytes(); }
  const std::string& early_read() const { return codes_.early_read(); }
  bool is_stored() const { return stored_ != nullptr; }  // the blocks come from the cache

 private:
  void open_stored(const std::string& cache);
  void read_next();  // from the text
  void read_stored(std::uint64_t block);
  TraceBlock& free_block();
  void admit(std::uint64_t block, TraceBlock& read);

  std::unique_ptr<TextSource> source_;  // null once the blocks come from the cache
  const TraceHeader header_;
  const TraceLimits limits_;
  const bool tells_branches_;
  const std::shared_ptr<const MachineCode> machine_code_;  // null: none
  const TracePhases phases_;                               // without any if it was opened without
  CodeTable codes_;
  SequencePool pool_;
  SpoolFile spool_;
  std::unique_ptr<BlockReader> reader_;        // of the text
  std::unique_ptr<StoredTraceWriter> writer_;  // null: nothing is stored
  ContentHash content_;                        // of the file, if something is stored
  std::unique_ptr<StoredFile> stored_;
  std::unique_ptr<StoredBlockReader> stored_reader_;
  std::vector<bool> started_;                   // by block: those that were read from the cache
  std::uint64_t read_ = 0;                      // the number of blocks that were read from the text
  std::uint64_t addresses_ = 0;                 // bytes of the addresses of blocks that have not ended
  std::map<std::uint64_t, TraceBlock*> ready_;  // by block: read and not started, or dropped
  std::vector<std::unique_ptr<TraceBlock>> all_;
  std::vector<TraceBlock*> free_;
};

}  // namespace heddle
