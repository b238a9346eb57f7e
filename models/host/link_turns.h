#pragma once
// LinkTurns decide which of several PCIe links may use the lanes that they share, such as the links of the
// instances of a split GPU. A link that has a packet while another packet occupies the lanes waits. Waiting
// links get the lanes in order of arrival, for one packet each. All links have clocks of the same frequency.
// This is pure logic.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class LinkTurns {
 public:
  // A further link shares the lanes. The function returns its number, with which it asks for turns.
  std::uint32_t join() { return links_++; }

  // The link has a packet for the direction 0 or 1, and asks whether it may send it now. If the function
  // returns true, the link must send the packet and call start(). If not, it asks again at free() or later.
  bool ask(std::size_t direction, std::uint32_t link, Cycle now);
  // A link has begun to send a packet, which occupies the lanes of this direction until `end`.
  void start(std::size_t direction, Cycle end) { lanes_[direction].free = end; }
  Cycle free(std::size_t direction) const { return lanes_[direction].free; }
  void reset();

 private:
  struct Lanes {
    Cycle free;
    std::vector<std::uint32_t> waiting;  // numbers of the waiting links, in order of arrival
  };
  std::array<Lanes, 2> lanes_;
  std::uint32_t links_ = 0;
};

}  // namespace heddle
