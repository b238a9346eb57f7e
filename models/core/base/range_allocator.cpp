#include "models/core/base/range_allocator.h"

#include <algorithm>
#include <stdexcept>

namespace heddle {

RangeAllocator::RangeAllocator(std::uint32_t size, std::size_t ranges)
    : size_(size), free_(size), largest_(size) {
  gaps_.reserve(ranges + 1);  // one gap before, between and behind the allocated ranges each
  reset();
}

void RangeAllocator::reset() {
  gaps_.clear();
  if (size_ > 0) gaps_.push_back({0, size_});
  free_ = size_;
  largest_ = size_;
}

std::uint32_t RangeAllocator::take_some(std::uint32_t size) {
  if (!fits(size)) throw std::logic_error("a range is taken that does not fit");
  auto gap = gaps_.begin();
  while (gap->size < size) ++gap;
  const std::uint32_t start = gap->start;
  const bool was_largest = gap->size == largest_;
  free_ -= size;
  if (gap->size == size) {
    gaps_.erase(gap);
  } else {
    gap->start += size;
    gap->size -= size;
  }
  if (was_largest) find_largest();
  return start;
}

void RangeAllocator::give_back_some(std::uint32_t start, std::uint32_t size) {
  auto after = gaps_.begin();
  while (after != gaps_.end() && after->start < start) ++after;
  const bool has_before = after != gaps_.begin();
  const bool has_after = after != gaps_.end();
  if (start > size_ || size > size_ - start || (has_before && (after - 1)->end() > start) ||
      (has_after && size > after->start - start))
    throw std::logic_error("a range is given back that was not taken");
  free_ += size;
  const bool joins_before = has_before && (after - 1)->end() == start;
  const bool joins_after = has_after && start + size == after->start;
  if (joins_before && joins_after) {
    size += (after - 1)->size + after->size;
    (after - 1)->size = size;
    gaps_.erase(after);
  } else if (joins_before) {
    size += (after - 1)->size;
    (after - 1)->size = size;
  } else if (joins_after) {
    size += after->size;
    *after = {start, size};
  } else {
    gaps_.insert(after, {start, size});
  }
  largest_ = std::max(largest_, size);
}

void RangeAllocator::find_largest() {
  largest_ = 0;
  for (const Range& gap : gaps_) largest_ = std::max(largest_, gap.size);
}

}  // namespace heddle
