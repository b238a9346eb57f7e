// FCFS with a single active context, as GPUs do by CUsched (Sections II-B and IV-A). Kernels take idle SMs in
// order of arrival. While kernels of one context are on the engine, a kernel of another context waits, and so
// do all kernels that arrived after it.
//
// By the paper an SM gets blocks "until fully utilized" as soon as it is free (Section II-B), so that the
// first SMs that a kernel drains are full of the next one's blocks while the last ones get none. With
// `settle`, a kernel that waits for SMs takes an even share of its blocks on each of them, for so long after
// its first SM. The SMs that become free meanwhile then get their share, as if all had become free at once.

#include <algorithm>
#include <vector>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class FcfsS final : public SmPartitioner {
 public:
  explicit FcfsS(const PolicyParameters& parameters)
      : settle_(static_cast<std::uint64_t>(parameters["settle"])) {}
  bool one_context() const override { return true; }
  bool honours_sm_sets() const override { return true; }
  Cycle next_decision() const override { return due_; }
  void reset() override {
    first_sms_.clear();
    due_ = Cycle::never();
  }

  void partition(const MachineView& machine, Partition& partition) override {
    const std::size_t active = kernels_of_first_context(machine);
    if (settle_ == 0) {
      for (std::size_t i = 0; i < active; ++i) give_free_sms(machine, partition, machine.kernels[i]);
      return;
    }
    bool changed = true;
    while (changed) {  // an SM that a kernel takes changes the shares, and they change who wants one
      due_ = Cycle::never();
      for (std::size_t i = 0; i < active; ++i) share_out(machine, partition, machine.kernels[i]);
      changed = false;
      for (std::size_t i = 0; i < active && !changed; ++i)
        changed = take_sm(machine, partition, machine.kernels[i]);
    }
  }

 private:
  // When a kernel got its first SM.
  struct FirstSm {
    KernelId kernel = KernelId::none();
    Cycle at;
  };

  // Gives a free SM to the kernel if it can use one more under the quotas of the partition.
  static bool take_sm(const MachineView& machine, Partition& partition, const KernelView& kernel) {
    std::uint64_t promised = 0;  // blocks that the SMs of the kernel take next
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      if (partition.holder(sm) != kernel.ksr) continue;
      const SliceView* const slice = machine.sms[sm].staying();
      const std::uint32_t most = std::min(partition.slices(sm).front().quota, kernel.residency);
      promised += slice == nullptr || slice->state != SliceState::kRunning || slice->running < most ? 1 : 0;
    }
    if (kernel.unissued <= promised) return false;
    const std::size_t sm = free_sm(machine, partition, kernel.ksr);
    if (sm == partition.sms()) return false;
    partition.give(sm, kernel.ksr);
    return true;
  }

  // Sets the quota of the kernel on the SMs that it holds.
  void share_out(const MachineView& machine, Partition& partition, const KernelView& kernel) {
    if (held_sms(partition, kernel.ksr) == 0) return;
    if (first_sms_.size() <= kernel.ksr.value) first_sms_.resize(kernel.ksr.value + 1);
    FirstSm& first = first_sms_[kernel.ksr.value];
    if (first.kernel != kernel.kernel) first = {kernel.kernel, machine.now};
    const std::uint64_t others = sms_to_come(machine, partition, kernel);
    const bool settles =
        (others > 0 || is_being_set_up(machine, partition, kernel)) && machine.now < first.at + settle_;
    std::uint32_t quota = Slice::kUnlimited;
    if (settles) {
      const std::uint64_t sms = held_sms(partition, kernel.ksr) + others;
      quota = static_cast<std::uint32_t>((kernel.unissued + kernel.running + sms - 1) / sms);
      due_ = std::min(due_, first.at + settle_);
    }
    for (std::size_t sm = 0; sm < partition.sms(); ++sm)
      if (partition.holder(sm) == kernel.ksr) partition.slices(sm).front().quota = quota;
  }

  // The SMs that the kernel may have next: those that nobody holds, and those of older kernels that have no
  // block left to issue.
  static std::uint64_t sms_to_come(const MachineView& machine, const Partition& partition,
                                   const KernelView& kernel) {
    std::uint64_t sms = 0;
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      const KsrId holder = partition.holder(sm);
      if (!holder.valid() || (holder != kernel.ksr && machine.kernel(holder).arrival < kernel.arrival &&
                              machine.kernel(holder).unissued == 0))
        ++sms;
    }
    return sms;
  }

  // Whether the kernel has an SM on which it cannot issue yet, or gets one now.
  static bool is_being_set_up(const MachineView& machine, const Partition& partition,
                              const KernelView& kernel) {
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      const SliceView* const slice = machine.sms[sm].staying();
      if (partition.holder(sm) == kernel.ksr && (slice == nullptr || slice->state != SliceState::kRunning))
        return true;
    }
    return false;
  }

  const std::uint64_t settle_;
  std::vector<FirstSm> first_sms_;  // by KSR
  Cycle due_ = Cycle::never();
};

HEDDLE_POLICY(SmPartitioner, FcfsS, "fcfs-s",
              "first come first served, one active context, a kernel an SM (CUsched's GPU of today)",
              "CUsched, Section IV-A",
              {{"settle", "cycles", 0, 0, 1e9,
                "after a kernel's first SM, in which an SM takes no more than an even share of its blocks"}});

}  // namespace

}  // namespace heddle
