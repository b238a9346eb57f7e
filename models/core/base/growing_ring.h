#pragma once
// A GrowingRing is a first-in first-out queue that doubles its memory when it is full, so that it allocates
// nothing once it has been at its longest.

#include <utility>

#include "models/core/base/ring.h"

namespace heddle {

template <class T>
class GrowingRing {
 public:
  bool empty() const { return ring_.empty(); }
  std::size_t size() const { return ring_.size(); }
  T& front() { return ring_.front(); }
  const T& front() const { return ring_.front(); }
  const T& operator[](std::size_t i) const { return ring_[i]; }  // the i-th oldest
  void push(T value) {
    if (ring_.full()) grow();
    ring_.push(std::move(value));
  }
  void pop() { ring_.pop(); }
  void clear() { ring_.clear(); }

 private:
  void grow() {
    Ring<T> larger(2 * ring_.capacity());
    for (; !ring_.empty(); ring_.pop()) larger.push(std::move(ring_.front()));
    ring_ = std::move(larger);
  }

  Ring<T> ring_{4};
};

}  // namespace heddle
