#include "models/host/link_turns.h"

#include <algorithm>

namespace heddle {

bool LinkTurns::ask(std::size_t direction, std::uint32_t link, Cycle now) {
  Lanes& lanes = lanes_[direction];
  std::vector<std::uint32_t>& waiting = lanes.waiting;
  if (lanes.free <= now && (waiting.empty() || waiting.front() == link)) {
    if (!waiting.empty()) waiting.erase(waiting.begin());
    return true;
  }
  if (std::find(waiting.begin(), waiting.end(), link) == waiting.end()) waiting.push_back(link);
  return false;
}

void LinkTurns::reset() {
  for (Lanes& lanes : lanes_) lanes = {};
}

}  // namespace heddle
