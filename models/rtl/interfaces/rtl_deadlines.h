#pragma once
// RtlDeadlines says which outstanding request has waited too long. Requests have numbers from 0 on, and those
// that are added later are due later, so that the first of the list is due first.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class RtlDeadlines {
 public:
  explicit RtlDeadlines(std::size_t numbers) : links_(numbers + 1) { reset(); }

  void reset() {
    for (Link& link : links_) link = {};
    head() = {end(), end(), Cycle::never()};
  }
  void add(std::uint32_t number, Cycle due) {
    const std::uint32_t last = head().before;
    links_[number] = {last, end(), due};
    links_[last].after = number;
    head().before = number;
  }
  void remove(std::uint32_t number) {
    links_[links_[number].before].after = links_[number].after;
    links_[links_[number].after].before = links_[number].before;
  }
  // Returns the request that is due before `now`.
  std::optional<std::uint32_t> late(Cycle now) const {
    const std::uint32_t first = links_.back().after;
    if (first == end() || links_[first].due >= now) return std::nullopt;
    return first;
  }

 private:
  struct Link {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    Cycle due{};
  };
  std::uint32_t end() const { return static_cast<std::uint32_t>(links_.size() - 1); }
  Link& head() { return links_.back(); }

  std::vector<Link> links_;  // by number, then the head of the ring
};

}  // namespace heddle
