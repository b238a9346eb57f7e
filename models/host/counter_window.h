#pragma once
// A CounterWindow shows counters to the host: their values and names, at the addresses of register_map.h from
// kCounterValues on.

#include <cstdint>
#include <string>
#include <vector>

#include "models/host/register_map.h"
#include "models/stats/group.h"

namespace heddle {

class CounterWindow {
 public:
  // Shows the counters below `root`, in the order of their paths, in place of those shown before. The group
  // must outlive the window.
  void show(const Group& root);
  std::size_t size() const { return counters_.size(); }
  // Returns the 8 bytes at an address from kCounterValues on; 0 where the window is empty.
  std::uint64_t read(Address address) const;

 private:
  std::vector<const Counter*> counters_;
  std::vector<std::string> names_;
};

}  // namespace heddle
