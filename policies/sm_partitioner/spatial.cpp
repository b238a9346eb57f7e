// Spatial multitasking (Adriaens et al., HPCA 2012). The SMs are split evenly among the kernels in the active
// queue, and the oldest kernels get the SMs that remain. They are split again when a kernel arrives or ends.
// A kernel takes no more SMs than it has blocks for, and the other kernels get the rest. With `reserve`, an
// open context without a kernel also counts, and SMs that it held stay free for its next kernel, up to its
// share. With more sharers than SMs, kernels with blocks to issue come before such contexts: the next kernel
// of a context can wait behind the very kernels that would else have no SM.

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
    sharers_.update(machine);
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
        kept_[sm] = kernel.context;  // the kernel may end before the policy is asked again
      }
    }
  }

 private:
  // Updates the context of each SM. An SM is free if its context no longer has a reserved place.
  void keep(const MachineView& machine, const Partition& partition) {
    kept_.resize(partition.sms());
    for (std::size_t sm = 0; sm < kept_.size(); ++sm)
      if (partition.holder(sm).valid())
        kept_[sm] = machine.kernel(partition.holder(sm)).context;
      else if (kept_[sm].valid() && keeper(machine, kept_[sm]) == sharers_.list().size())
        kept_[sm] = ContextId::none();
  }

  // The index of the sharer that the context's SMs are reserved for, or the number of sharers.
  std::size_t keeper(const MachineView& machine, ContextId context) const {
    const std::vector<Sharer>& sharers = sharers_.list();
    const auto found = std::find_if(sharers.begin(), sharers.end(), [&](const Sharer& sharer) {
      return sharer.kernel.context == context && sharers_.is_reserved(machine, sharer);
    });
    return static_cast<std::size_t>(found - sharers.begin());
  }

  // Computes the number of SMs of each sharer. SMs are dealt one by one, in rounds, to the sharers that can
  // use one more. The first round deals to kernels with blocks to issue before it deals to reserved shares.
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
    const auto deal = [&](std::size_t i) {
      const bool takes = left > 0 && shares_[i] < most_[i];
      if (takes) {
        ++shares_[i];
        --left;
      }
      return takes;
    };
    for (const bool reserved : {false, true})
      for (std::size_t i = 0; i < sharers.size(); ++i)
        if (sharers_.is_reserved(machine, sharers[i]) == reserved) deal(i);
    for (bool dealt = true; dealt;) {
      dealt = false;
      for (std::size_t i = 0; i < sharers.size(); ++i) dealt = deal(i) || dealt;
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

  // The number of free SMs that are reserved for the sharer.
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

  // The SM with the fewest running blocks among those of kernels that hold more than their share;
  // partition.sms() if there is none.
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
  // For each SM, the context that holds it, or that held it last and has it reserved.
  std::vector<ContextId> kept_;
  std::vector<std::size_t> most_;    // for each sharer, the number of SMs that it can use
  std::vector<std::size_t> shares_;  // for each sharer, its number of SMs
};

HEDDLE_POLICY(SmPartitioner, Spatial, "spatial",
              "SMs split evenly among kernels, re-split as they come and go", "Adriaens et al., HPCA 2012",
              {Sharers::parameter(false)});

}  // namespace

}  // namespace heddle
