#pragma once
// This file keeps the instruction sequences of warps. Warps with equal entries share one sequence if they
// have successive numbers in a block, or the same number in successive blocks.

#include <cstdint>
#include <memory>
#include <vector>

#include "stimuli/traceg/stored_form.h"
#include "stimuli/traceg/trace_entry.h"

namespace heddle {

struct TraceSequence {
  std::vector<TraceEntry> entries;
  StoredPiece place;                // in the stored form of the trace; of no bytes if it is not there
  std::uint32_t address_bytes = 0;  // those of a warp; known to the writer of the stored form
  std::uint32_t uses = 0;
};

class SequencePool {
 public:
  // Returns a sequence of these entries and adds one use to it. `warp` is the number of the warp in its
  // block. The sequence is valid until release() was called once for each use.
  TraceSequence* keep(std::uint32_t warp, const std::vector<TraceEntry>& entries);
  // Returns the sequence with this place and adds one use to it, as keep() does. Returns null if the sequence
  // is not one that keep() would share.
  TraceSequence* find(std::uint32_t warp, const StoredPiece& place);
  void release(TraceSequence* sequence);  // null has no effect

  std::uint64_t bytes() const { return bytes_; }  // bytes of the entries in use

 private:
  void remember(std::uint32_t warp, TraceSequence* sequence);

  std::vector<std::unique_ptr<TraceSequence>> all_;
  std::vector<TraceSequence*> free_;
  std::vector<TraceSequence*> latest_;  // by warp: its latest sequence
  std::uint64_t bytes_ = 0;
};

}  // namespace heddle
