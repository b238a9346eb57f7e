#pragma once
// Keeps what warps executed. Warps that executed the same share one sequence, if they are neighbours in the
// file or have the same number in successive blocks.

#include <cstdint>
#include <memory>
#include <vector>

#include "stimuli/traceg/trace_entry.h"

namespace heddle {

struct TraceSequence {
  std::vector<TraceEntry> entries;
  std::uint32_t uses = 0;
};

class SequencePool {
 public:
  // The sequence of these entries, for one use; `warp` is their warp's number in its block.
  TraceSequence* keep(std::uint32_t warp, const std::vector<TraceEntry>& entries);
  void release(TraceSequence* sequence);  // null: nothing

  std::uint64_t bytes() const { return bytes_; }  // of entries in use

 private:
  void remember(std::uint32_t warp, TraceSequence* sequence);

  std::vector<std::unique_ptr<TraceSequence>> all_;
  std::vector<TraceSequence*> free_;
  std::vector<TraceSequence*> latest_;  // by warp: of the block before, or of this one where read already
  std::uint64_t bytes_ = 0;
};

}  // namespace heddle
