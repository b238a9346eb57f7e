#include "stimuli/traceg/trace_program.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20U;  // bytes that a free block keeps at most

void empty(TraceBlockData& data) {
  for (TraceWarp& warp : data.warps) {
    warp.given = false;
    warp.sequence = nullptr;
    warp.chunks.clear();
  }
  data.addresses.clear();
  if (data.addresses.capacity() > kMostKeptBytes) data.addresses.shrink_to_fit();
}

}  // namespace

TraceProgram::TraceProgram(const std::string& file, const TraceLimits& limits, bool with_phases)
    : source_(file),
      header_(read_trace_header(source_)),
      phases_(with_phases ? find_trace_phases(file, limits) : TracePhases()),
      codes_(header_, phases_),
      reader_(source_, header_, limits, codes_, pool_, spool_) {
  read_next();
}

void TraceProgram::read_next() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<TraceBlock>(codes_, spool_));
    free_.push_back(all_.back().get());
  }
  TraceBlock& block = *free_.back();
  reader_.read(block.data(), resident_bytes());
  free_.pop_back();
  block.rewind();
  addresses_ += block.data().addresses.size();
  ready_.emplace(read_++, &block);
  if (read_ == header_.blocks) reader_.read_end();
}

BlockStream& TraceProgram::start(BlockId block) {
  HEDDLE_CHECK(block.value < header_.blocks, "trace", Cycle{0}, "block {} of a grid of {}", block.value,
               header_.blocks);
  while (read_ <= block.value) read_next();
  const auto found = ready_.find(block.value);
  HEDDLE_CHECK(found != ready_.end(), "trace", Cycle{0}, "block {} started twice", block.value);
  TraceBlock& stream = *found->second;
  ready_.erase(found);
  return stream;
}

// The block keeps what was read of it.
void TraceProgram::drop(BlockStream& stream, BlockId block) {
  auto& dropped = static_cast<TraceBlock&>(stream);
  dropped.rewind();
  ready_.emplace(block.value, &dropped);
}

void TraceProgram::finish(BlockStream& stream) {
  auto& block = static_cast<TraceBlock&>(stream);
  TraceBlockData& data = block.data();
  for (const TraceWarp& warp : data.warps) pool_.release(warp.sequence);
  spool_.discard(data.spool_begin, data.spool_end);
  addresses_ -= data.addresses.size();
  empty(data);
  free_.push_back(&block);
}

}  // namespace heddle
