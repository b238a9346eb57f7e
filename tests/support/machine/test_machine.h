#pragma once
// A MachineView that a test builds slice by slice, and the decisions that a partitioner makes on it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

inline bool operator==(const Partition& a, const Partition& b) {
  if (a.sms() != b.sms()) return false;
  for (std::size_t sm = 0; sm < a.sms(); ++sm)
    if (!(a.slices(sm) == b.slices(sm))) return false;
  return true;
}

// Returns the present partition as the SM driver hands it to a partitioner. Slices that are leaving are not
// part of it.
inline Partition standing(const MachineView& machine) {
  Partition partition(machine.sms.size());
  for (std::size_t sm = 0; sm < machine.sms.size(); ++sm)
    for (const SliceView& slice : machine.sms[sm].slices)
      if (slice.state != SliceState::kLeaving) partition.slices(sm).push_back(slice.slice);
  return partition;
}

// Returns whether the kernel has more unissued blocks than it has SMs that can take one of its blocks next.
inline bool wants_more(const MachineView& machine, const KernelView& kernel) {
  std::uint64_t spoken_for = 0;
  for (const SmView& sm : machine.sms)
    for (const SliceView& slice : sm.slices)
      if (slice.slice.kernel == kernel.ksr && slice.state != SliceState::kLeaving &&
          (slice.state != SliceState::kRunning || slice.running < kernel.residency))
        ++spoken_for;
  return kernel.unissued > spoken_for;
}

class TestMachine {
 public:
  static constexpr int kNobody = -1;
  static constexpr std::uint32_t kRoom = 1024;  // all threads, warps and block slots of an SM

  TestMachine(std::size_t sms, std::vector<ContextView> contexts) {
    view_.sms.resize(sms);
    view_.limits.threads = view_.limits.warps = view_.limits.block_slots = kRoom;
    view_.contexts = std::move(contexts);
  }

  // Adds a kernel and returns its number. Kernels arrive in the order of their numbers.
  int kernel(std::uint32_t context, std::uint64_t unissued, std::uint32_t residency = 1) {
    const auto number = static_cast<std::uint32_t>(view_.kernels.size());
    const BlockResources block{kRoom / residency, 1, 0, 0, 1};
    view_.kernels.push_back(
        {KsrId{number}, ContextId{context}, number, unissued, 0, residency, KernelId{number}, block});
    return static_cast<int>(number);
  }
  TestMachine& slice(std::size_t sm, int kernel, SliceState state, std::uint32_t blocks) {
    const KsrId ksr{static_cast<std::uint32_t>(kernel)};
    view_.sms[sm].slices.push_back({Slice{ksr}, state, blocks});
    view_.kernels[ksr.value].running += blocks;
    return *this;
  }
  TestMachine& runs(std::size_t sm, int kernel, std::uint32_t blocks) {
    return slice(sm, kernel, SliceState::kRunning, blocks);
  }
  TestMachine& sets_up(std::size_t sm, int kernel) { return slice(sm, kernel, SliceState::kSettingUp, 0); }
  TestMachine& drains(std::size_t sm, int kernel, std::uint32_t blocks) {
    return slice(sm, kernel, SliceState::kLeaving, blocks);
  }
  TestMachine& waits(std::size_t sm, int kernel) { return slice(sm, kernel, SliceState::kWaiting, 0); }

  MachineView& view() { return view_; }

  // Returns the kernel that holds each SM after the policy has decided, or kNobody.
  std::vector<int> holders(SmPartitioner& policy) const {
    Partition partition = standing(view_);
    policy.partition(view_, partition);
    std::vector<int> result;
    for (std::size_t sm = 0; sm < partition.sms(); ++sm)
      result.push_back(partition.holder(sm).valid() ? static_cast<int>(partition.holder(sm).value) : kNobody);
    return result;
  }
  // Returns "kernel:quota" of every slice after the policy has decided, by SM. A quota of "*" is unlimited.
  std::vector<std::string> slices(SmPartitioner& policy) const {
    Partition partition = standing(view_);
    policy.partition(view_, partition);
    std::vector<std::string> result;
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      std::vector<std::string> names;
      for (const Slice& slice : partition.slices(sm))
        names.push_back(fmt::format("{}:{}", slice.kernel.value,
                                    slice.quota == Slice::kUnlimited ? "*" : fmt::format("{}", slice.quota)));
      result.push_back(fmt::format("{}", fmt::join(names, " ")));
    }
    return result;
  }

 private:
  MachineView view_;
};

}  // namespace heddle
