#pragma once
// A PortSet holds one bit for each port. A visit costs only for the ports in the set, and is in order of
// their numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

class PortSet {
 public:
  explicit PortSet(std::uint32_t ports) : words_((ports + 63) / 64) {}

  void set(std::uint32_t port) { words_[port / 64] |= bit(port); }
  void clear(std::uint32_t port) { words_[port / 64] &= ~bit(port); }
  void reset() { std::fill(words_.begin(), words_.end(), 0); }  // The set is empty afterwards.
  bool test(std::uint32_t port) const { return (words_[port / 64] & bit(port)) != 0; }
  bool empty() const {
    for (const std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }

  // Calls visit(port) for each port of the set. The call may take that port out.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        visit(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest))));
  }

  // Does the same for the ports that are not in `other`, a set of the same size.
  template <class Visit>
  void for_each_without(const PortSet& other, Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t rest = words_[w] & ~other.words_[w]; rest != 0; rest &= rest - 1)
        visit(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest))));
  }
  void remove(const PortSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  }

  // Returns the first port at or after `from`, or the first of all if there is none. The set is not empty.
  std::uint32_t first_from(std::uint32_t from) const {
    std::size_t w = from / 64;
    std::uint64_t rest = w < words_.size() ? words_[w] & (~std::uint64_t{0} << (from % 64)) : 0;
    while (rest == 0) {
      w = w + 1 < words_.size() ? w + 1 : 0;
      rest = words_[w];
    }
    return static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
  }

 private:
  static std::uint64_t bit(std::uint32_t port) { return std::uint64_t{1} << (port % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace heddle
