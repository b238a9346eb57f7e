#pragma once
// Time slices: the whole GPU belongs to one context at a time, in turn among the contexts with work, by
// number. GPUs run several processes so when they share the GPU without MPS (NVIDIA MPS documentation,
// "Architecture", "Background": a time-sliced scheduler, and never work of two contexts at once; NVIDIA DRIVE
// OS documentation, "Tegra GPU Scheduling Improvements": the most time that a channel keeps an engine).
//
//   - A context has work while a kernel of it is in the active queue. A slice begins when a warp of the
//     context can issue: when the first block is issued, or the first saved one has its state back. It lasts
//     `quantum` times the context's entry of `weights`. Its kernels share the SMs as under `left-over`.
//   - At the end of a slice, or when the context has had no work for `idle`, the next context with work
//     follows. The pause between two kernels of a stream is shorter than that, so that it ends no slice. If
//     no other context has work, the next slice of the same context follows at once. A context that
//     arrives meanwhile waits for the end of that slice.
//   - The preemption policy hands the SMs over. When the last block has left, no SM runs for
//     `switch_cost`, and then the next context gets the SMs. A context that is the last one with work by
//     then gets them back without that cost.
//   - So each turn makes progress, however short the quantum is and however long it takes to set SMs up and
//     to restore blocks. Only a block that takes longer than a slice and is flushed at its end never ends.
//
// NVIDIA documents neither the length of a slice, nor the cost of a switch, nor when an idle context gives
// its slice up: all are guesses by default.

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class TimeSlice : public SmPartitioner {
 public:
  explicit TimeSlice(const PolicyParameters& parameters);
  void partition(const MachineView& machine, Partition& partition) override;
  Cycle next_decision() const override { return due_; }
  bool asked_at_start() const override {
    return state_.phase == Phase::kSlice && state_.context.valid() && !state_.begun;
  }
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool honours_sm_sets() const override { return true; }
  bool one_context() const override { return true; }
  bool may_hold(const MachineView&, ContextId context, std::size_t) const override {
    return state_.phase == Phase::kSlice && context == state_.context;
  }
  void reset() override {
    state_ = {};
    due_ = Cycle::never();
  }

  // The weights are one list, with an entry for each of the first applications.
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);

 protected:
  TimeSlice(double quantum_us, double switch_us, double idle_us)
      : quantum_us_(quantum_us), switch_us_(switch_us), idle_us_(idle_us) {}
  // Returns how many microseconds a slice of the context lasts.
  virtual double slice_us(const MachineView& machine, ContextId context) const;
  // Returns the context with work that has the GPU after `present`, or none() if no context has work.
  virtual ContextId next_context(const MachineView& machine, ContextId present) const;
  static bool works(const MachineView& machine, ContextId context);

 private:
  enum class Phase : std::uint8_t {
    kSlice,     // the context has the SMs, or no context has work
    kHandover,  // blocks of the context are leaving the SMs
    kSwitch,    // no SM runs until `until`
  };

  void update(const MachineView& machine, Partition& partition);
  void begin_slice(const MachineView& machine, ContextId context);
  void pause(const MachineView& machine, Partition& partition);
  Cycle idle_end(const MachineView& machine) const;
  void hand_over(const MachineView& machine, Partition& partition);
  void leave(const MachineView& machine);
  void go_on(const MachineView& machine, Partition& partition);
  void note_begin(const MachineView& machine);
  std::uint64_t slice_cycles(const MachineView& machine) const;

  const double quantum_us_;
  const double switch_us_;
  const double idle_us_;
  std::vector<double> weights_;  // by application; those without an entry have 1

  struct State {
    Phase phase = Phase::kSlice;
    ContextId context = ContextId::none();
    Cycle until;             // the end of the slice, if it has begun, or of the switch
    bool works = false;      // kSlice: the context had work when the policy was asked last
    Cycle idle_since;        // kSlice: if it has none
    bool contended = false;  // kSlice: another context had work then
    bool begun = false;      // kSlice: a warp of the context could issue
  };
  State state_;
  Cycle due_ = Cycle::never();
};

}  // namespace heddle
