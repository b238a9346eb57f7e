#pragma once
// Hands out contiguous ranges of a resource, the lowest that fits first. What is free can be enough in sum
// and still not hold a range: that is fragmentation (Warped-Slicer, Figure 2a).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

class RangeAllocator {
 public:
  // `size` units, of which at most `ranges` ranges are taken at once; nothing allocates after this.
  RangeAllocator(std::uint32_t size, std::size_t ranges);

  // Whether a free range holds `size` units. None at all always fit, and need no range.
  bool fits(std::uint32_t size) const { return size <= largest_; }

  // The start of a range that fits; 0 for none at all. It must fit.
  std::uint32_t take(std::uint32_t size) { return size == 0 ? 0 : take_some(size); }

  // Gives back what take(size) returned, joined with its free neighbours. It must be taken.
  void give_back(std::uint32_t start, std::uint32_t size) {
    if (size > 0) give_back_some(start, size);
  }

  // Everything is free afterwards.
  void reset();

  std::uint32_t free() const { return free_; }        // units, in all
  std::uint32_t largest() const { return largest_; }  // units, of the largest free range

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
  std::vector<Range> gaps_;  // free, by start, none next to another
  std::uint32_t free_;
  std::uint32_t largest_;
};

}  // namespace heddle
