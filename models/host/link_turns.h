#pragma once
// The turns of several PCIe links at the same lanes, as where the instances of a split GPU share them. A link
// that has a packet while the lanes are taken waits, and links go in the order in which they began to wait, a
// packet each. All links have clocks of one frequency. Pure logic.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class LinkTurns {
 public:
  // Returns the number of a link in the calls below.
  std::uint32_t join() { return links_++; }

  // A link asks in a cycle in which it has a packet for this direction, 0 or 1. Returns whether it may start.
  // It then must start. If it may not, the link asks again from free() on.
  bool ask(std::size_t direction, std::uint32_t link, Cycle now);
  // The link has started a packet, which takes the lanes until `end`.
  void start(std::size_t direction, Cycle end) { lanes_[direction].free = end; }
  Cycle free(std::size_t direction) const { return lanes_[direction].free; }
  void reset();

 private:
  struct Lanes {
    Cycle free;
    std::vector<std::uint32_t> waiting;  // links, in order; each is there once
  };
  std::array<Lanes, 2> lanes_;
  std::uint32_t links_ = 0;
};

}  // namespace heddle
