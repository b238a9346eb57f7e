#pragma once
// The SavedBlocks of a kernel are its blocks that have begun and are on no SM, in the order in which they
// come back, and the memory for those in swap space. A block that has been saved keeps its SavedBlock until
// it ends or is flushed, so that no other block is stored where it lies.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/saved_block.h"

namespace heddle {

class SavedBlocks {
 public:
  struct Waiting {
    BlockId block;
    SavedBlock* contents = nullptr;  // null: the block was flushed, and starts over
    std::uint64_t elapsed = 0;       // core cycles that it was on SMs
  };

  std::uint64_t size() const { return waiting_.size() - first_; }
  void push(const Waiting& block) { waiting_.push_back(block); }
  Waiting pop() {  // the one that left first
    const Waiting first = waiting_[first_++];
    if (2 * first_ >= waiting_.size()) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return first;
  }

  // Returns memory for a block. Areas are numbered `first`, `first` + `step`, ...; the area that was given
  // back last is taken first.
  SavedBlock& take(std::uint32_t first, std::uint32_t step) {
    if (free_.empty()) {
      areas_.push_back(std::make_unique<SavedBlock>());
      areas_.back()->area = first + step * static_cast<std::uint32_t>(areas_.size() - 1);
      return *areas_.back();
    }
    SavedBlock& area = *free_.back();
    free_.pop_back();
    return area;
  }
  void give_back(SavedBlock& area) { free_.push_back(&area); }

 private:
  std::vector<std::unique_ptr<SavedBlock>> areas_;
  std::vector<SavedBlock*> free_;
  std::vector<Waiting> waiting_;  // from index `first_` on
  std::size_t first_ = 0;
};

}  // namespace heddle
