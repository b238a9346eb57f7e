#pragma once
// Warped-Slicer (Sections III to V): kernels are profiled on SMs of their own, then share every SM, each with
// the number of blocks that maximises the smallest normalised performance.
//
//   profile   warm-up, sampling phases, delay. Each kernel has its SMs (profile_layout.h) from the start of
//             the warm-up on, with a quota there; what ran on them before leaves by the preemption policy.
//             The warm-up goes on until that has happened, but no longer than twice its length; sampling
//             counts what is there (phase_sampler.h). An SM that its kernel has no block for goes to another.
//   quotas    one slice per kernel on every SM, in order of arrival, quotas by water_filling.h. Nothing is
//             preempted for it: who has more blocks than its quota lets them end, and until then others may
//             have to wait. From then on a block is followed only by one of its own kernel.
//   spatial   if a kernel would lose more than loss / K of its best performance, or one block of each does
//             not fit an SM: the groups of SMs of a profile, without quotas. With more kernels than SMs the
//             groups of the turns lie on top of each other, older kernels first.
//   alone     one kernel: all SMs, no quota, no profile.
//
//   - Kernels count one by one, also several of one context. A curve is known by context, tag and residency.
//     When a kernel comes or leaves, a new partition follows at once (after the delay) if all curves are
//     known, else a profile of all. With `reserve` a context's place stays between its kernels, in a profile
//     with its SMs, and its next kernel goes on in it (sharers.h). Only the curves of kernels that are there
//     have to be known: one that is missing counts as a straight line.
//   - A profile starts over when a place comes or goes. Its warm-up ends at the latest twice its length after
//     the first start, so arrivals one after another put sampling off no further; arrivals closer than a
//     sampling phase do, and kernels then run in the layout.
//   - More kernels than SMs: each turn has a warm-up. Who has no turn waits, or has an SM that nobody uses.
//   - A kernel's IPC over the whole GPU is watched while all are there and have blocks to issue, once the
//     partition has stood as long as a warm-up. If it changes (ipc_watch.h), the kernel's curve is forgotten
//     and a profile made. Without instructions (timed SMs) nothing changes.
//   - Time is counted in samples: a length begins with a sample, the next one if there is none at hand, and
//     ends with the first one at or after its end.

#include <cstdint>
#include <vector>

#include "policies/sm_partitioner/ipc_watch.h"
#include "policies/sm_partitioner/phase_sampler.h"
#include "policies/sm_partitioner/profile_layout.h"
#include "policies/sm_partitioner/sharers.h"
#include "policies/sm_partitioner/water_filling.h"

namespace heddle {

class WarpedSlicer final : public SmPartitioner {
 public:
  explicit WarpedSlicer(const PolicyParameters& parameters);
  void partition(const MachineView& machine, Partition& partition) override;
  std::uint64_t sample_period() const override { return period_; }
  const std::vector<PartitionDecision>& decisions() const override { return state_.decisions; }
  void reset() override;
  bool shares_sms() const override { return true; }

 private:
  enum class Stage : std::uint8_t { kWarmUp, kSampling, kDelay, kRunning };
  enum class Layout : std::uint8_t { kShared, kProfile, kSpatial };

  // What it knows of a sharer beside what the sharer is.
  struct Place {
    std::uint64_t number = 0;  // the sharer's
    KernelKey key;
    KernelId seen;            // its kernel at the last sample
    SmGroup group;            // profile and spatial; none before it was in one
    std::size_t turn = 0;     // of the profile
    std::uint32_t quota = 0;  // shared; 0: no decision has been made for it
    std::uint32_t next = 0;   // its quota after the delay
    bool sampled = false;     // had a kernel in the profile's sampling phases
    IpcWatch watch;
  };
  struct State {
    std::vector<Place> places;     // by sharer
    std::vector<bool> open;        // by context
    Cycle now;                     // end of the latest sample
    Cycle since = Cycle::never();  // when the stage began; never: with the next sample
    Cycle began = Cycle::never();  // when the profile did, whatever has come since
    Stage stage = Stage::kRunning;
    Layout layout = Layout::kShared;
    bool next_spatial = false;  // after the delay
    bool settled = false;       // the partition is what runs
    std::size_t turn = 0;
    std::size_t phase = 0;
    std::vector<PartitionDecision> decisions;
  };

  bool profiling() const { return state_.stage == Stage::kWarmUp || state_.stage == Stage::kSampling; }
  const KernelView& kernel(std::size_t place) const { return sharers_.list()[place].kernel; }
  bool present(std::size_t place) const { return sharers_.list()[place].present; }

  bool follow_places();
  void forget_closed(const MachineView& machine);
  void follow(const MachineView& machine);
  bool all_known() const;
  void enter(Stage stage);
  void advance(const MachineView& machine);
  void begin_profile(const MachineView& machine);
  void divide(const MachineView& machine);
  void look(const MachineView& machine);
  bool established(const MachineView& machine, Cycle first_start) const;
  void end_phase(const MachineView& machine);
  std::size_t phases() const;
  void decide(const MachineView& machine);
  void take_effect(const MachineView& machine);
  void share_alone();
  void watch(const MachineView& machine);
  bool in_force(const MachineView& machine) const;
  bool co_running();
  void log(PartitionDecision::Kind kind, double loss);

  bool entitled(const Place& place, std::size_t sm) const;
  std::uint32_t quota(const Place& place, std::size_t sm) const;
  bool lay_out(const MachineView& machine, std::size_t sm, std::vector<Slice>& slices);
  void give_to_others(const MachineView& machine, Partition& partition) const;

  // Cycles, but for the fractions `loss` and `change`.
  const std::uint64_t period_, warm_up_, profile_, delay_;
  const double loss_, change_;
  const BandwidthReading scaling_;
  const bool remember_;

  Sharers sharers_;
  ProfileCurves curves_;
  PhaseSampler sampler_;
  State state_;
  bool sampled_ = false;  // the question at hand came with a new sample
  // Of the question at hand.
  std::vector<Place> moved_;
  std::vector<SharingKernel> sharing_;
  std::vector<Slice> slices_;
  std::vector<bool> free_;  // by SM: nobody it belongs to has a use for it
};

}  // namespace heddle
