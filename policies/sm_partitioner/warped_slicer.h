#pragma once
// Warped-Slicer (Sections III to V). Kernels are profiled on SMs of their own. Then they share every SM, and
// each has the number of blocks that maximises the smallest normalised performance.
//
//   profile   A profile is a warm-up, sampling phases and a delay. From the start of the warm-up, each kernel
//             has SMs of its own (profile_layout.h) with a quota there, and other slices on them are
//             preempted. The warm-up lasts until these slices have left, but no longer than twice its length.
//             Sampling counts the blocks that are on an SM (phase_sampler.h). Another kernel gets an SM for
//             which its kernel has no block.
//   quotas    Each kernel has a slice on every SM, in order of arrival, with quotas from water_filling.h. No
//             block is preempted. A kernel with more blocks than its quota keeps them until they end, and
//             other kernels may wait until then. From then on, the room of an ended block goes to a block of
//             the same kernel.
//   spatial   Each kernel has the group of SMs that it has in a profile, without a quota. This happens if one
//             of K kernels would lose more than loss x (1 - 1 / K) of its best performance, or if one block
//             of each does not fit an SM. With more kernels than SMs, kernels of several turns share an SM,
//             and older kernels come first.
//   alone     A single kernel has all SMs without a quota and without a profile.
//
//   - Section IV-A prints the loss as 120 % / K. Of three kernels each may then lose 40 %, less than a kernel
//     with a third of an SM loses, so that three kernels would hardly ever share, against Section V-E. 120 %
//     of 1 - 1 / K is the same for two kernels. With `printed_loss` the printed one holds.
//   - Each kernel counts, also if several are of one context. A curve is identified by context, tag and
//     residency. When a kernel arrives or ends, a new partition follows after the delay if all curves are
//     known, and else a profile of all kernels. With `reserve`, the place of a context remains between its
//     kernels, with its SMs in a profile, and the next kernel takes it (sharers.h). Only the curves of
//     kernels in the active queue must be known, and a missing curve is a straight line.
//   - A profile starts over when a place is added or removed. Its warm-up ends no later than twice its length
//     after the first start, so repeated arrivals do not delay sampling further. Arrivals that follow each
//     other faster than a sampling phase do, and the kernels then run in the layout of the profile.
//   - Each launch is profiled, unless `remember` lets a curve serve later launches of the same code. Only the
//     first profile waits for the length of a warm-up, unless `warm_each`. A later one starts to sample as
//     soon as its layout is in force, and no later than twice the length of a warm-up.
//   - With `favour`, a profile after a change of IPC samples the changed kernels alone (Section IV-B). They
//     have all SMs as in a profile, ahead of the others. The others keep their blocks, but issue none until
//     the profile has ended. The paper does not say how a kernel is held back: here its blocks run out, and
//     no slice is preempted.
//   - With more kernels than SMs, each turn of a profile that warms up has a warm-up. A kernel without a turn
//     waits, or gets an SM that no other kernel uses.
//   - Each kernel's IPC over the whole GPU is watched while all kernels are present and have blocks to issue,
//     and once the partition has been in force for the length of a warm-up. If an IPC changes (ipc_watch.h),
//     the kernel's curve is dropped and a profile starts. On timed SMs, which issue no instructions, no IPC
//     changes.
//   - Time is counted in samples. A length starts at the current sample, or at the next one if the policy is
//     asked without a new sample, and ends at the first sample at or after its end.

#include <cstdint>
#include <memory>
#include <vector>

#include "policies/sm_partitioner/phase_sampler.h"
#include "policies/sm_partitioner/slicer_places.h"
#include "policies/sm_partitioner/water_filling.h"

namespace heddle {

class WarpedSlicer final : public SmPartitioner {
 public:
  explicit WarpedSlicer(const PolicyParameters& parameters)
      : WarpedSlicer(parameters, std::make_unique<WaterFillingUnit>()) {}
  WarpedSlicer(const PolicyParameters& parameters, std::unique_ptr<WaterFillingUnit> unit);
  void partition(const MachineView& machine, Partition& partition) override;
  std::uint64_t sample_period() const override { return period_; }
  const std::vector<PartitionDecision>& decisions() const override { return state_.decisions; }
  void reset() override;
  bool shares_sms() const override { return true; }

 private:
  enum class Stage : std::uint8_t { kWarmUp, kSampling, kDelay, kRunning };
  enum class Layout : std::uint8_t { kShared, kProfile, kSpatial };
  // Which profiles favour the sampled kernel and hold back the others (Section IV-B).
  enum class Favour : std::uint8_t { kNone, kChanges, kLaunches };
  static constexpr std::uint32_t kHeldBack = 0;  // the quota of a slice that issues no block

  struct State {
    std::vector<bool> open;        // for each context
    Cycle now;                     // end of the latest sample
    Cycle since = Cycle::never();  // start of the stage; never: it starts at the next sample
    Cycle began = Cycle::never();  // first start of the profile, although it may have started over
    Stage stage = Stage::kRunning;
    Layout layout = Layout::kShared;
    bool next_spatial = false;    // whether the layout after the delay is kSpatial
    bool is_established = false;  // whether the partition is in force
    bool favours = false;         // whether the profile favours the sampled kernels
    bool warm = false;            // whether a profile has ended
    std::size_t turn = 0;
    std::size_t phase = 0;
    std::vector<PartitionDecision> decisions;
  };

  bool profiling() const { return state_.stage == Stage::kWarmUp || state_.stage == Stage::kSampling; }
  bool warms_up() const { return warm_each_ || !state_.warm; }

  void forget_closed(const MachineView& machine);
  void update_sharers(const MachineView& machine);
  void enter(Stage stage);
  void advance(const MachineView& machine);
  void begin_profile(const MachineView& machine, bool favours);
  void sample(const MachineView& machine);
  bool established(const MachineView& machine, Cycle first_start, std::uint64_t least) const;
  void end_phase(const MachineView& machine);
  std::size_t phases() const;
  double most_loss(std::size_t kernels) const;
  void decide(const MachineView& machine);
  void take_effect(const MachineView& machine);
  void run_alone();
  void watch(const MachineView& machine);
  bool in_force(const MachineView& machine) const;
  bool in_force(const MachineView& machine, const SliceView& slice) const;
  void log(PartitionDecision::Kind kind, double loss);

  bool is_entitled(const SlicerPlace& place, std::size_t sm) const;
  std::uint32_t quota(const SlicerPlace& place, std::size_t sm) const;
  bool lay_out(const MachineView& machine, std::size_t sm, std::vector<Slice>& slices);
  void hold_back(const std::vector<Slice>& standing);
  void give_to_others(const MachineView& machine, Partition& partition) const;

  const std::uint64_t period_, warm_up_, profile_, delay_;  // cycles
  const double loss_;                                       // a factor
  const bool printed_loss_;
  const double change_;  // a fraction
  const IpcScaling scaling_;
  const Favour favour_;
  const bool warm_each_;

  SlicerPlaces places_;
  std::unique_ptr<WaterFillingUnit> unit_;
  ProfileCurves curves_;
  PhaseSampler sampler_;
  State state_;
  bool sampled_ = false;  // whether the policy is asked with a new sample
  // Buffers that are reused at each call.
  std::vector<SharingKernel> sharing_;
  std::vector<Slice> slices_;
  std::vector<bool> free_;  // for each SM, whether the kernels that it belongs to cannot use it
};

}  // namespace heddle
