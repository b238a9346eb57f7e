#pragma once
// An AccountTable has one element for each launch that is in the machine, found by the account of the launch,
// and one element for what no launch has caused. The account of a launch that is over goes to a later launch,
// so that the table has no more elements than the most launches that were in the machine at the same time.

#include <algorithm>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

template <class T>
class AccountTable {
 public:
  // AccountId::none() stands for no launch. The reference is valid until the next call with a larger number.
  T& operator[](AccountId account) {
    const std::uint32_t place = place_of(account);
    if (place >= elements_.size()) elements_.resize(place + 1);
    return elements_[place];
  }
  T at(AccountId account) const {
    const std::uint32_t place = place_of(account);
    return place < elements_.size() ? elements_[place] : T{};
  }

  void clear(AccountId account) {
    if (place_of(account) < elements_.size()) elements_[place_of(account)] = T{};
  }
  void reset() { std::fill(elements_.begin(), elements_.end(), T{}); }

  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

 private:
  // AccountId::none() has the largest number, to which the addition of 1 gives place 0.
  static std::uint32_t place_of(AccountId account) { return account.value + 1; }

  std::vector<T> elements_ = std::vector<T>(1);
};

}  // namespace heddle
