#pragma once
// A RangeAllocator allocates contiguous ranges of a resource, first fit from the lowest address. An
// allocation can fail although enough units are free in sum, because no free range is long enough: that is
// fragmentation (Warped-Slicer, Figure 2a).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

class RangeAllocator {
 public:
  // The resource has `size` units, and at most `ranges` ranges are allocated at once. Only the constructor
  // allocates host memory.
  RangeAllocator(std::uint32_t size, std::size_t ranges);

  // Returns whether a free range holds `size` units. A range of no units always fits.
  bool fits(std::uint32_t size) const { return size <= largest_; }

  // Allocates a range, which must fit, and returns its start; a range of no units starts at 0.
  std::uint32_t take(std::uint32_t size) { return size == 0 ? 0 : take_some(size); }

  // Frees the range that take(size) returned at `start`.
  void give_back(std::uint32_t start, std::uint32_t size) {
    if (size > 0) give_back_some(start, size);
  }

  // Everything is free afterwards.
  void reset();

  std::uint32_t free() const { return free_; }        // units in all
  std::uint32_t largest() const { return largest_; }  // units of the largest free range

 private:
  struct Range {
    std::uint32_t start;
    std::uint32_t size;
    std::uint32_t end() const { return start + size; }
  };
  std::uint32_t take_some(std::uint32_t size);
  void give_back_some(std::uint32_t start, std::uint32_t size);
  void find_largest();

  const std::uint32_t size_;
  std::vector<Range> gaps_;  // the free ranges by start; no two are adjacent
  std::uint32_t free_;
  std::uint32_t largest_;
};

}  // namespace heddle
