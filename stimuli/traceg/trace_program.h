#pragma once
// A kernel whose instructions come from an Accel-Sim trace (.traceg), read as its blocks are started.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/traceg/block_reader.h"

namespace heddle {

// Block n is the n-th of the file. Blocks that were read and not yet asked for are kept.
class TraceProgram final : public KernelProgram {
 public:
  // Reads the header and the first block. Errors here and in start(): config::Error, "file:line: message".
  explicit TraceProgram(const std::string& file, const TraceLimits& limits = {});

  BlockStream& start(BlockId block) override;
  void finish(BlockStream& stream) override;

  const TraceHeader& header() const { return header_; }
  std::uint64_t resident_bytes() const { return addresses_ + pool_.bytes(); }  // of blocks read and not ended

 private:
  void read_next();

  TextSource source_;
  const TraceHeader header_;
  CodeTable codes_;
  SequencePool pool_;
  SpoolFile spool_;
  BlockReader reader_;
  std::uint64_t read_ = 0;                      // blocks
  std::uint64_t addresses_ = 0;                 // bytes of the addresses of blocks read and not ended
  std::map<std::uint64_t, TraceBlock*> ready_;  // read, not started
  std::vector<std::unique_ptr<TraceBlock>> all_;
  std::vector<TraceBlock*> free_;
};

}  // namespace heddle
