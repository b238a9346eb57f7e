// Spatial multitasking (Adriaens et al., HPCA 2012): the SMs are split evenly among the kernels in the active
// queue, the oldest getting what does not divide, and split again when kernels come and go. A kernel takes no
// more SMs than it has blocks for; what it leaves goes to the others. With `reserve` an open context counts
// between its kernels as well, and the SMs it held stay free for its next one as far as its share goes.

#include <algorithm>
#include <vector>

#include "policies/sm_partitioner/demand.h"
#include "policies/sm_partitioner/sharers.h"

namespace heddle {

namespace {

class Spatial final : public SmPartitioner {
 public:
  explicit Spatial(const PolicyParameters& parameters) : sharers_(parameters[Sharers::kReserve] != 0) {}
  void reset() override {
    sharers_.reset();
    kept_.clear();
  }

  void partition(const MachineView& machine, Partition& partition) override {
    sharers_.follow(machine);
    keep(machine, partition);
    split(machine, partition);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const Sharer& sharer = sharers_.list()[i];
      const KernelView& kernel = sharer.kernel;
      while (held(partition, sharer) < shares_[i] && wants_sm(machine, partition, kernel)) {
        std::size_t sm = free_sm(machine, partition, kernel.ksr, kept_, kernel.context);
        if (sm == partition.sms()) sm = surplus_sm(machine, partition);
        if (sm == partition.sms()) break;
        partition.give(sm, kernel.ksr);
        kept_[sm] = kernel.context;  // it may have left before the next question
      }
    }
  }

 private:
  // Notes whose SMs they are; those of contexts that keep none are free.
  void keep(const MachineView& machine, const Partition& partition) {
    kept_.resize(partition.sms());
    for (std::size_t sm = 0; sm < kept_.size(); ++sm)
      if (partition.holder(sm).valid())
        kept_[sm] = machine.kernel(partition.holder(sm)).context;
      else if (kept_[sm].valid() && keeper(machine, kept_[sm]) == sharers_.list().size())
        kept_[sm] = ContextId::none();
  }

  // The sharer for which the context's SMs are kept, or the number of sharers.
  std::size_t keeper(const MachineView& machine, ContextId context) const {
    const std::vector<Sharer>& sharers = sharers_.list();
    const auto found = std::find_if(sharers.begin(), sharers.end(), [&](const Sharer& sharer) {
      return sharer.kernel.context == context && sharers_.keeps(machine, sharer);
    });
    return static_cast<std::size_t>(found - sharers.begin());
  }

  // SMs per sharer, dealt round by round to those that can use one more.
  void split(const MachineView& machine, const Partition& partition) {
    const std::vector<Sharer>& sharers = sharers_.list();
    most_.assign(sharers.size(), 0);
    shares_.assign(sharers.size(), 0);
    for (std::size_t i = 0; i < sharers.size(); ++i) {
      const std::uint64_t use = held(partition, sharers[i]) + kept_by(machine, partition, i) +
                                wanted(machine, partition, sharers[i]);
      most_[i] = static_cast<std::size_t>(std::min<std::uint64_t>(use, partition.sms()));
    }
    std::size_t left = partition.sms();
    for (bool dealt = true; dealt && left > 0;) {
      dealt = false;
      for (std::size_t i = 0; i < sharers.size() && left > 0; ++i)
        if (shares_[i] < most_[i]) {
          ++shares_[i];
          --left;
          dealt = true;
        }
    }
    for (std::size_t i = 0; i < sharers.size(); ++i) keep_no_more_than_its_share(machine, partition, i);
  }

  void keep_no_more_than_its_share(const MachineView& machine, const Partition& partition, std::size_t i) {
    const Sharer& sharer = sharers_.list()[i];
    std::size_t kept = kept_by(machine, partition, i);
    for (std::size_t sm = kept_.size(); sm-- > 0 && kept > 0 && held(partition, sharer) + kept > shares_[i];)
      if (partition.slices(sm).empty() && kept_[sm] == sharer.kernel.context) {
        kept_[sm] = ContextId::none();
        --kept;
      }
  }

  // Free SMs that are kept for the sharer.
  std::size_t kept_by(const MachineView& machine, const Partition& partition, std::size_t i) const {
    const ContextId context = sharers_.list()[i].kernel.context;
    if (keeper(machine, context) != i) return 0;
    std::size_t kept = 0;
    for (std::size_t sm = 0; sm < kept_.size(); ++sm)
      if (partition.slices(sm).empty() && kept_[sm] == context) ++kept;
    return kept;
  }

  static std::size_t held(const Partition& partition, const Sharer& sharer) {
    return sharer.present ? held_sms(partition, sharer.kernel.ksr) : 0;
  }
  static std::uint64_t wanted(const MachineView& machine, const Partition& partition, const Sharer& sharer) {
    return sharer.present ? wanted_sms(machine, partition, sharer.kernel) : 0;
  }

  // An SM of a kernel that holds more than its share: the one with the fewest blocks to wait for.
  std::size_t surplus_sm(const MachineView& machine, const Partition& partition) const {
    std::size_t best = partition.sms();
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const Sharer& sharer = sharers_.list()[i];
      if (held(partition, sharer) <= shares_[i]) continue;
      for (std::size_t sm = 0; sm < partition.sms(); ++sm)
        if (partition.holder(sm) == sharer.kernel.ksr &&
            (best == partition.sms() || machine.sms[sm].running() < machine.sms[best].running()))
          best = sm;
    }
    return best;
  }

  Sharers sharers_;
  std::vector<ContextId>
      kept_;  // by SM: the context that holds it or held it last, while it is kept for that
  // By sharer.
  std::vector<std::size_t> most_;    // SMs it can use
  std::vector<std::size_t> shares_;  // SMs it shall have
};

HEDDLE_POLICY(SmPartitioner, Spatial, "spatial",
              "SMs split evenly among kernels, re-split as they come and go", "Adriaens et al., HPCA 2012",
              {Sharers::parameter(false)});

}  // namespace

}  // namespace heddle
