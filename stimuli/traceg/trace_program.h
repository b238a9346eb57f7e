#pragma once
// This file has kernels whose instructions come from a trace of Accel-Sim (.traceg). The trace is read as
// blocks are started.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/traceg/block_reader.h"

namespace heddle {

// Block n of a TraceProgram is the n-th block of the file. Blocks that are read before they are started stay
// in memory or in the spool file.
class TraceProgram final : public KernelProgram {
 public:
  // Reads the header and the first block. Errors here and in start() are config::Error, "file:line: message".
  explicit TraceProgram(const std::string& file, const TraceLimits& limits = {}, bool with_phases = false);

  BlockStream& start(BlockId block) override;
  void finish(BlockStream& stream) override;
  void drop(BlockStream& stream, BlockId block) override;
  const std::vector<PhaseNeeds>& phases() const override { return phases_.needs; }

  const TraceHeader& header() const { return header_; }
  // The memory of the blocks that have not ended.
  std::uint64_t resident_bytes() const { return addresses_ + pool_.bytes(); }

 private:
  void read_next();

  TextSource source_;
  const TraceHeader header_;
  const TracePhases phases_;  // without any if it was opened without
  CodeTable codes_;
  SequencePool pool_;
  SpoolFile spool_;
  BlockReader reader_;
  std::uint64_t read_ = 0;                      // the number of blocks that were read
  std::uint64_t addresses_ = 0;                 // bytes of the addresses of blocks that have not ended
  std::map<std::uint64_t, TraceBlock*> ready_;  // by block: read and not started, or dropped
  std::vector<std::unique_ptr<TraceBlock>> all_;
  std::vector<TraceBlock*> free_;
};

}  // namespace heddle
