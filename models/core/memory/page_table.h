#pragma once
// The page tables hold the address spaces of all contexts. Pages have one size. The first touch of a page
// allocates the next frame in ascending order. The first frame begins at address 0 of device memory, or where
// the range of physical addresses begins that its context has. Frames are never freed. Translation
// takes no simulated time.

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "models/core/base/check.h"
#include "models/core/base/ids.h"

namespace heddle {

// The programs have touched more pages than device memory has frames.
class OutOfDeviceMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PageTables {
 public:
  static constexpr std::uint64_t kLeastPage = 4096;
  static constexpr std::uint32_t kMostContexts = 1u << 12;
  static constexpr std::uint64_t kMostFrames = std::uint64_t{1} << 24;

  // A Recent remembers the page that one requester touched last.
  class Recent {
    friend class PageTables;
    std::uint64_t key_ = ~std::uint64_t{0};
    Address frame_ = 0;
  };

  // A range of frames in which the pages of a context lie. The first frame begins at the physical address
  // `first`, which is a multiple of the page size.
  struct Frames {
    Address first = 0;
    std::uint64_t count = 0;
  };

  // page_bytes is a power of two, kLeastPage or more. memory_bytes is at least one page and at most
  // kMostFrames pages. Element i of `frames` is the range of context i. If there are more contexts than
  // elements, the further contexts have the ranges of the first elements again, in turn. Two elements are
  // equal, or have no frame in common. If `frames` is empty, every context may have every frame.
  PageTables(std::uint64_t page_bytes, std::uint64_t memory_bytes, std::uint32_t contexts,
             const std::vector<Frames>& frames = {});

  // Returns the physical address. Throws OutOfDeviceMemory, which names context and sizes.
  Address translate(ContextId context, Address address, Recent& recent) {
    const std::uint64_t key = (std::uint64_t{context.value} << kPageBits) | (address >> page_shift_);
    if (key != recent.key_ || context.value >= pages_.size()) look_up(context, address, key, recent);
    return recent.frame_ | (address & (page_bytes_ - 1));
  }

  // Every frame is free and every table empty afterwards. A Recent from before is not used again.
  void reset();

  std::uint64_t page_bytes() const { return page_bytes_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t frames_used() const;
  std::uint64_t pages(ContextId context) const {
    return pages_[context.value];
  }  // the pages that it has touched so far

 private:
  static constexpr std::uint32_t kPageBits = 52;  // bits of a page number; the context's number is above them
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  // A range of frames of which the first `used` ones have been allocated.
  struct Pool {
    Frames frames;
    std::uint64_t used = 0;
  };
  struct Slot {
    std::uint64_t key = kEmpty;
    Address frame = 0;
  };

  void look_up(ContextId context, Address address, std::uint64_t key, Recent& recent);
  Address first_touch(ContextId context, Address address);

  std::uint64_t page_bytes_;
  std::uint32_t page_shift_;
  std::uint64_t frames_;
  std::vector<Pool> pools_;
  std::vector<std::size_t> pool_of_;  // by context, in turn
  std::uint32_t slot_shift_;
  std::vector<Slot> slots_;           // open addressing, linear probing, never more than half full
  std::vector<std::uint64_t> pages_;  // by context
};

}  // namespace heddle
