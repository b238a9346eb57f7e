#pragma once
// A Recycler makes the values that messages share. A value that no message holds any more is given out again
// with its memory, so that a conversation allocates nothing after its beginning. One thread uses a Recycler
// at a time.

#include <memory>
#include <vector>

namespace heddle {

template <class T>
class Recycler {
 public:
  // Returns a value that nobody else holds. It has the contents of its last use, or is value-initialized.
  std::shared_ptr<T> take() {
    for (const std::shared_ptr<T>& value : values_)
      if (value.use_count() == 1) return value;
    return values_.emplace_back(std::make_shared<T>());
  }
  std::size_t size() const { return values_.size(); }  // values made so far

 private:
  std::vector<std::shared_ptr<T>> values_;
};

}  // namespace heddle
