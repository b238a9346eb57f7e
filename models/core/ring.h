#pragma once
// A first-in first-out queue of fixed capacity in one allocation. push() on a full and pop() on an empty
// ring are the caller's errors: ask first.

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : slots_(capacity) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == slots_.size(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.size(); }

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
    return slots_[wrap(head_ + size_ - 1)];
  }
  // The i-th oldest.
  const T& operator[](std::size_t i) const { return slots_[wrap(head_ + i)]; }
  T& operator[](std::size_t i) { return slots_[wrap(head_ + i)]; }

  void push(T value) {
    assert(!full());
    slots_[wrap(head_ + size_)] = std::move(value);
    ++size_;
  }
  void pop() {
    assert(!empty());
    head_ = wrap(head_ + 1);
    --size_;
  }
  // Takes out the i-th oldest; the order of the others stays.
  void remove(std::size_t i) {
    assert(i < size_);
    for (; i + 1 < size_; ++i) (*this)[i] = std::move((*this)[i + 1]);
    --size_;
  }
  void clear() { head_ = size_ = 0; }

 private:
  std::size_t wrap(std::size_t i) const { return i < slots_.size() ? i : i - slots_.size(); }

  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle
