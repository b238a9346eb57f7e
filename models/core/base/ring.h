#pragma once
// A Ring is a first-in first-out queue of fixed capacity in one allocation. The caller asks full() before
// push() and empty() before pop(). Slots that were never used take no memory of the host.

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/core/base/lazy_array.h"

namespace heddle {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity)
      : capacity_(capacity), mask_(power_of_two(capacity) - 1), slots_(mask_ + 1) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }

  T& front() {
    assert(!empty());
    return slots_[head_];
  }
  const T& front() const {
    assert(!empty());
    return slots_[head_];
  }
  const T& back() const {
    assert(!empty());
    return slots_[(head_ + size_ - 1) & mask_];
  }
  // Returns the i-th oldest.
  const T& operator[](std::size_t i) const { return slots_[(head_ + i) & mask_]; }
  T& operator[](std::size_t i) { return slots_[(head_ + i) & mask_]; }

  void push(T value) {
    assert(!full());
    slots_[(head_ + size_) & mask_] = std::move(value);
    ++size_;
  }
  // Adds an element and returns it for the caller to fill. Until then it has the value of an earlier element
  // or is zero in all its bytes.
  T& push() {
    assert(!full());
    return slots_[(head_ + size_++) & mask_];
  }
  void pop() {
    assert(!empty());
    head_ = (head_ + 1) & mask_;
    --size_;
  }
  void pop(std::size_t count) {  // the oldest `count` elements
    assert(count <= size_);
    head_ = (head_ + count) & mask_;
    size_ -= count;
  }
  // Removes the i-th oldest. The order of the others stays.
  void remove(std::size_t i) {
    assert(i < size_);
    for (; i + 1 < size_; ++i) (*this)[i] = std::move((*this)[i + 1]);
    --size_;
  }
  void clear() { head_ = size_ = 0; }

 private:
  static std::size_t power_of_two(std::size_t least) {
    std::size_t power = 1;
    while (power < least) power *= 2;
    return power;
  }

  std::size_t capacity_;
  std::size_t mask_;  // masks an index: the number of slots is a power of two
  std::conditional_t<std::is_trivially_copyable_v<T>, LazyArray<T>, std::vector<T>> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle
