#pragma once
// A FreeList hands out the numbers 0 .. count - 1. The number that was given back last is taken first, and a
// number that was never in use only when no other is free. So tables that are indexed by these numbers are
// used from their start.

#include <cassert>
#include <cstdint>

#include "models/core/base/lazy_array.h"

namespace heddle {

class FreeList {
 public:
  explicit FreeList(std::uint32_t count) : count_(count), returned_(count) {}

  bool empty() const { return left() == 0; }
  std::uint32_t left() const { return waiting_ + (count_ - used_); }
  std::uint32_t in_use() const { return used_ - waiting_; }
  std::uint32_t used() const { return used_; }  // numbers below this one have been in use
  // Returns the number that take() gives next. A number must be free.
  std::uint32_t next() const { return waiting_ > 0 ? returned_[waiting_ - 1] : used_; }
  std::uint32_t take() {
    assert(!empty());
    return waiting_ > 0 ? returned_[--waiting_] : used_++;
  }
  void give_back(std::uint32_t number) { returned_[waiting_++] = number; }
  void reset() { waiting_ = used_ = 0; }

 private:
  std::uint32_t count_;
  std::uint32_t used_ = 0;
  std::uint32_t waiting_ = 0;          // elements of `returned_`
  LazyArray<std::uint32_t> returned_;  // the last one is taken next
};

}  // namespace heddle
