#include "models/core/range_allocator.h"

#include <algorithm>
#include <stdexcept>

namespace heddle {

RangeAllocator::RangeAllocator(std::uint32_t size, std::size_t ranges)
    : size_(size), free_(size), largest_(size) {
  gaps_.reserve(ranges + 2);  // one before, between and behind what is taken, and one on its way back
  if (size > 0) gaps_.push_back({0, size});
}

std::uint32_t RangeAllocator::take(std::uint32_t size) {
  if (size == 0) return 0;
  if (!fits(size)) throw std::logic_error("a range is taken that does not fit");
  const auto gap =
      std::find_if(gaps_.begin(), gaps_.end(), [size](const Range& range) { return range.size >= size; });
  const std::uint32_t start = gap->start;
  const bool was_largest = gap->size == largest_;
  free_ -= size;
  gap->start += size;
  gap->size -= size;
  if (gap->size == 0) gaps_.erase(gap);
  if (was_largest) find_largest();
  return start;
}

void RangeAllocator::give_back(std::uint32_t start, std::uint32_t size) {
  if (size == 0) return;
  const auto after =
      std::find_if(gaps_.begin(), gaps_.end(), [start](const Range& gap) { return gap.start >= start; });
  const bool overlaps = (after != gaps_.begin() && (after - 1)->end() > start) ||
                        (after != gaps_.end() && size > after->start - start);
  if (overlaps || start > size_ || size > size_ - start)
    throw std::logic_error("a range is given back that was not taken");
  free_ += size;
  auto gap = gaps_.insert(after, {start, size});
  if (gap + 1 != gaps_.end() && gap->end() == (gap + 1)->start) {
    gap->size += (gap + 1)->size;
    gaps_.erase(gap + 1);
  }
  if (gap != gaps_.begin() && (gap - 1)->end() == gap->start) {
    (gap - 1)->size += gap->size;
    gap = gaps_.erase(gap) - 1;
  }
  largest_ = std::max(largest_, gap->size);
}

void RangeAllocator::find_largest() {
  largest_ = 0;
  for (const Range& gap : gaps_) largest_ = std::max(largest_, gap.size);
}

}  // namespace heddle
