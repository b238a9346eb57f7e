#pragma once
// A LazyArray is an array of fixed length. The host gives it memory page by page, when an element of the page
// is written, so that the part of a large table that a run never uses costs neither time nor memory.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace heddle {

// An element that was never written has zero in all its bytes, whatever its member initialisers say.
template <class T>
class LazyArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= alignof(std::max_align_t));

 public:
  explicit LazyArray(std::size_t size) : size_(size), data_(allocate(size)) {}

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  // Calls the handler of a failed allocation as operator new does.
  static T* allocate(std::size_t size) {
    for (;;) {
      if (void* data = std::calloc(size == 0 ? 1 : size, sizeof(T))) return static_cast<T*>(data);
      const std::new_handler handler = std::get_new_handler();
      if (handler == nullptr) throw std::bad_alloc();
      handler();
    }
  }

  std::size_t size_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace heddle
