// Spatial multitasking (Adriaens et al., HPCA 2012): the SMs are split evenly among the kernels in the active
// queue, the oldest getting what does not divide, and split again when kernels come and go. A kernel takes no
// more SMs than it has blocks for; what it leaves goes to the others.

#include <algorithm>
#include <vector>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class Spatial final : public SmPartitioner {
 public:
  explicit Spatial(const PolicyParameters&) {}

  void partition(const MachineView& machine, Partition& partition) override {
    split(machine, partition);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const KernelView& kernel = machine.kernels[i];
      while (held_sms(partition, kernel.ksr) < shares_[i] && wants_sm(machine, partition, kernel)) {
        std::size_t sm = free_sm(machine, partition, kernel.ksr);
        if (sm == partition.sms()) sm = surplus_sm(machine, partition);
        if (sm == partition.sms()) break;
        partition.give(sm, kernel.ksr);
      }
    }
  }

 private:
  // SMs per kernel of the active queue, dealt round by round to those that can use one more.
  void split(const MachineView& machine, const Partition& partition) {
    const std::size_t kernels = machine.kernels.size();
    most_.resize(kernels);
    shares_.assign(kernels, 0);
    for (std::size_t i = 0; i < kernels; ++i) {
      const KernelView& kernel = machine.kernels[i];
      const std::uint64_t use = held_sms(partition, kernel.ksr) + wanted_sms(machine, partition, kernel);
      most_[i] = static_cast<std::size_t>(std::min<std::uint64_t>(use, partition.sms()));
    }
    std::size_t left = partition.sms();
    for (bool dealt = true; dealt && left > 0;) {
      dealt = false;
      for (std::size_t i = 0; i < kernels && left > 0; ++i)
        if (shares_[i] < most_[i]) {
          ++shares_[i];
          --left;
          dealt = true;
        }
    }
  }

  // An SM of a kernel that holds more than its share: the one with the fewest blocks to wait for.
  std::size_t surplus_sm(const MachineView& machine, const Partition& partition) const {
    std::size_t best = partition.sms();
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const KsrId ksr = machine.kernels[i].ksr;
      if (held_sms(partition, ksr) <= shares_[i]) continue;
      for (std::size_t sm = 0; sm < partition.sms(); ++sm)
        if (partition.holder(sm) == ksr &&
            (best == partition.sms() || machine.sms[sm].running() < machine.sms[best].running()))
          best = sm;
    }
    return best;
  }

  // By kernel of the active queue.
  std::vector<std::size_t> most_;    // SMs it can use
  std::vector<std::size_t> shares_;  // SMs it shall have
};

HEDDLE_POLICY(SmPartitioner, Spatial, "spatial",
              "SMs split evenly among kernels, re-split as they come and go", "Adriaens et al., HPCA 2012",
              {});

}  // namespace

}  // namespace heddle
