#pragma once
// EpochUse counts how much of a resource is accessed within an epoch, a fixed number of cycles: each item
// once, however often it is accessed. Epochs without a call of start() do not count.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"
#include "models/stats/group.h"

namespace heddle {

class EpochUse {
 public:
  struct Spec {
    std::uint64_t epoch = 1;      // cycles
    std::size_t items = 0;        // their numbers are below that
    std::uint64_t item_size = 1;  // of the resource, in its unit
    std::uint64_t size = 0;       // of the whole resource; items that share it may be more
  };

  explicit EpochUse(const Spec& spec);
  // Adds the counters `used` and `offered` to `stats`, in this unit.
  void declare(Group& stats, const std::string& unit);
  // Starts the first epoch. The counters are their group's to reset.
  void reset();

  // The accesses that follow are in the cycle `now`, which is no earlier than that of the last call.
  void start(Cycle now);
  void access(std::size_t item) {
    if (last_[item] == epoch_) return;
    last_[item] = epoch_;
    used_ += spec_.item_size;
  }

  const Counter& used() const { return used_; }
  const Counter& offered() const { return offered_; }

 private:
  const Spec spec_;
  std::uint64_t epoch_ = 0;          // number of the present epoch, from 1; 0: none has started
  std::vector<std::uint64_t> last_;  // by item: the epoch of its last access
  Counter used_;
  Counter offered_;
};

}  // namespace heddle
