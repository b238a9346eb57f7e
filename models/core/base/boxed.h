#pragma once
// A Boxed<T> is a value of type T that lies on the heap: it is copied with its owner. T has to be complete
// only where a value is put in or looked at, so that a header can hold a Boxed<T> without including T's.

#include <memory>
#include <utility>

namespace heddle {

template <class T>
class Boxed {
 public:
  Boxed(T value) : value_(new T(std::move(value)), &destroy), copy_(&copy) {}
  Boxed(const Boxed& other)
      : value_(other.copy_(*other.value_), other.value_.get_deleter()), copy_(other.copy_) {}
  Boxed(Boxed&&) noexcept = default;  // the other one may only be assigned to or destroyed then
  Boxed& operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    std::swap(copy_, other.copy_);
    return *this;
  }
  ~Boxed() = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  static void destroy(const T* value) { delete value; }
  static T* copy(const T& value) { return new T(value); }

  std::unique_ptr<T, void (*)(const T*)> value_;
  T* (*copy_)(const T&);
};

}  // namespace heddle
