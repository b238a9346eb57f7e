#pragma once
// The SavedBlocks of a kernel are its blocks that have begun and are on no SM, in the order in which they
// come back, and the areas of swap space of the kernel's blocks. A block that has been saved keeps its area
// until it ends or is flushed, so that no other block is stored where it lies.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/saved_block.h"

namespace heddle {

class SavedBlocks {
 public:
  struct Waiting {
    BlockId block;
    std::shared_ptr<const SavedBlock> contents;  // null: the block was flushed, and starts over
    std::uint64_t elapsed = 0;                   // core cycles that it was on SMs
  };

  std::uint64_t size() const { return waiting_.size() - first_; }
  void push(const Waiting& block) { waiting_.push_back(block); }
  Waiting pop() {  // the one that left first
    Waiting first = std::move(waiting_[first_++]);
    if (2 * first_ >= waiting_.size()) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return first;
  }

  // Returns an area for a block. Areas are numbered `first`, `first` + `step`, ...; the area that was given
  // back last is taken first.
  std::uint32_t take_area(std::uint32_t first, std::uint32_t step) {
    if (free_areas_.empty()) return first + step * areas_++;
    const std::uint32_t area = free_areas_.back();
    free_areas_.pop_back();
    return area;
  }
  void give_back_area(std::uint32_t area) { free_areas_.push_back(area); }

 private:
  std::uint32_t areas_ = 0;  // that have been taken at least once
  std::vector<std::uint32_t> free_areas_;
  std::vector<Waiting> waiting_;  // from index `first_` on
  std::size_t first_ = 0;
};

}  // namespace heddle
