#include "stimuli/traceg/sequence_pool.h"

#include <cstring>

namespace heddle {

namespace {

constexpr std::size_t kMostKeptEntries = std::size_t{1} << 16U;  // entries that a free sequence keeps at most

bool equal(const TraceSequence* sequence, const std::vector<TraceEntry>& entries) {
  return sequence != nullptr && sequence->entries.size() == entries.size() &&
         std::memcmp(sequence->entries.data(), entries.data(), entries.size() * sizeof(TraceEntry)) == 0;
}

}  // namespace

TraceSequence* SequencePool::keep(std::uint32_t warp, const std::vector<TraceEntry>& entries) {
  if (latest_.size() <= warp) latest_.resize(warp + 1, nullptr);
  TraceSequence* sequence = nullptr;
  if (warp > 0 && equal(latest_[warp - 1], entries)) {
    sequence = latest_[warp - 1];
  } else if (equal(latest_[warp], entries)) {
    sequence = latest_[warp];
  } else {
    if (free_.empty()) {
      all_.push_back(std::make_unique<TraceSequence>());
      free_.push_back(all_.back().get());
    }
    sequence = free_.back();
    free_.pop_back();
    sequence->entries = entries;
    bytes_ += entries.size() * sizeof(TraceEntry);
  }
  ++sequence->uses;
  remember(warp, sequence);
  return sequence;
}

TraceSequence* SequencePool::find(std::uint32_t warp, const StoredPiece& place) {
  const auto is_there = [&](std::uint32_t latest) {
    return latest < latest_.size() && latest_[latest] != nullptr &&
           latest_[latest]->place.offset == place.offset;
  };
  TraceSequence* sequence = nullptr;
  if (warp > 0 && is_there(warp - 1))
    sequence = latest_[warp - 1];
  else if (is_there(warp))
    sequence = latest_[warp];
  else
    return nullptr;
  if (latest_.size() <= warp) latest_.resize(warp + 1, nullptr);
  ++sequence->uses;
  remember(warp, sequence);
  return sequence;
}

void SequencePool::remember(std::uint32_t warp, TraceSequence* sequence) {
  ++sequence->uses;
  release(latest_[warp]);
  latest_[warp] = sequence;
}

void SequencePool::release(TraceSequence* sequence) {
  if (sequence == nullptr || --sequence->uses > 0) return;
  bytes_ -= sequence->entries.size() * sizeof(TraceEntry);
  sequence->entries.clear();
  sequence->place = {};
  if (sequence->entries.capacity() > kMostKeptEntries) sequence->entries.shrink_to_fit();
  free_.push_back(sequence);
}

}  // namespace heddle
