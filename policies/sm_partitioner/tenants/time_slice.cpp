#include "policies/sm_partitioner/tenants/time_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

constexpr const char* kWeights = "weights";

bool others_work(const MachineView& machine, ContextId context) {
  return std::any_of(machine.kernels.begin(), machine.kernels.end(),
                     [context](const KernelView& kernel) { return kernel.context != context; });
}

// Whether the SM will have no slice as soon as the partition names none for it: no block and no set-up is
// there.
bool is_free(const SmView& sm) {
  return std::all_of(sm.slices.begin(), sm.slices.end(), [](const SliceView& slice) {
    return slice.running == 0 && (slice.state == SliceState::kWaiting || slice.state == SliceState::kRunning);
  });
}

std::uint64_t cycles_of(const MachineView& machine, double us) {
  return static_cast<std::uint64_t>(std::llround(us * 1e-6 * machine.core_hz));
}

}  // namespace

bool TimeSlice::works(const MachineView& machine, ContextId context) {
  return std::any_of(machine.kernels.begin(), machine.kernels.end(),
                     [context](const KernelView& kernel) { return kernel.context == context; });
}

TimeSlice::TimeSlice(const PolicyParameters& parameters)
    : quantum_us_(parameters["quantum"]),
      switch_us_(parameters["switch_cost"]),
      idle_us_(parameters["idle"]) {
  const IntegerLists& lists = parameters.lists(kWeights);
  if (lists.empty()) return;
  for (const std::int64_t weight : lists.front()) weights_.push_back(static_cast<double>(weight));
}

void TimeSlice::partition(const MachineView& machine, Partition& partition) {
  due_ = Cycle::never();
  update(machine, partition);
  if (state_.phase == Phase::kSlice) share_allowed_sms(*this, machine, partition);
}

void TimeSlice::update(const MachineView& machine, Partition& partition) {
  if (state_.phase == Phase::kHandover) return leave(machine);
  if (state_.phase == Phase::kSwitch) {
    const ContextId next = next_context(machine, state_.context);
    if (machine.now >= state_.until) return begin_slice(machine, next.valid() ? next : state_.context);
    due_ = state_.until;
    return;
  }
  if (!state_.context.valid()) {
    if (!machine.kernels.empty()) begin_slice(machine, machine.kernels.front().context);
    return;
  }
  if (!works(machine, state_.context)) return pause(machine, partition);
  if (!state_.works && machine.now >= idle_end(machine)) return begin_slice(machine, state_.context);
  state_.works = true;
  go_on(machine, partition);
}

// The context of the slice has no work.
void TimeSlice::pause(const MachineView& machine, Partition& partition) {
  if (std::exchange(state_.works, false)) state_.idle_since = machine.now;
  if (machine.kernels.empty()) return;
  const Cycle end = idle_end(machine);
  if (machine.now >= end)
    hand_over(machine, partition);
  else
    due_ = end;
}

Cycle TimeSlice::idle_end(const MachineView& machine) const {
  return state_.idle_since + cycles_of(machine, idle_us_);
}

// The context of the slice has work.
void TimeSlice::go_on(const MachineView& machine, Partition& partition) {
  const bool was_contended = std::exchange(state_.contended, others_work(machine, state_.context));
  note_begin(machine);
  if (!state_.contended || !state_.begun) return;
  if (!was_contended && machine.now > state_.until) {
    const std::uint64_t slice = slice_cycles(machine);
    const std::uint64_t passed = (machine.now - state_.until + slice - 1) / slice;
    state_.until = state_.until + passed * slice;
  }
  if (machine.now < state_.until)
    due_ = state_.until;
  else
    hand_over(machine, partition);
}

void TimeSlice::begin_slice(const MachineView& machine, ContextId context) {
  state_ = {};
  state_.context = context;
  state_.works = works(machine, context);
  state_.idle_since = machine.now;
  state_.contended = others_work(machine, context);
  note_begin(machine);
  if (state_.contended && state_.begun) due_ = state_.until;
}

void TimeSlice::hand_over(const MachineView& machine, Partition& partition) {
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) partition.take(sm);
  state_.phase = Phase::kHandover;
  leave(machine);
}

void TimeSlice::leave(const MachineView& machine) {
  const ContextId next = next_context(machine, state_.context);
  if (!next.valid() || next == state_.context) return begin_slice(machine, state_.context);
  if (!std::all_of(machine.sms.begin(), machine.sms.end(), is_free)) return;
  const std::uint64_t cost = cycles_of(machine, switch_us_);
  if (cost == 0) return begin_slice(machine, next);
  state_.phase = Phase::kSwitch;
  state_.until = due_ = machine.now + cost;
}

// The slice begins now if it has not begun yet and a block of its context can issue.
void TimeSlice::note_begin(const MachineView& machine) {
  if (state_.begun) return;
  state_.begun = std::any_of(machine.sms.begin(), machine.sms.end(), [&](const SmView& sm) {
    return std::any_of(sm.slices.begin(), sm.slices.end(), [&](const SliceView& slice) {
      return slice.running > slice.restoring && machine.kernel(slice.slice.kernel).context == state_.context;
    });
  });
  if (state_.begun) state_.until = machine.now + slice_cycles(machine);
}

// The contexts go in turn by their numbers. The present context is the last one that may follow.
ContextId TimeSlice::next_context(const MachineView& machine, ContextId present) const {
  const auto contexts = static_cast<std::uint32_t>(machine.contexts.size());
  for (std::uint32_t i = 1; i <= contexts; ++i) {
    const ContextId context{(present.value + i) % contexts};
    if (works(machine, context)) return context;
  }
  return ContextId::none();
}

std::uint64_t TimeSlice::slice_cycles(const MachineView& machine) const {
  return std::max<std::uint64_t>(1, cycles_of(machine, slice_us(machine, state_.context)));
}

double TimeSlice::slice_us(const MachineView&, ContextId context) const {
  return quantum_us_ * (context.value < weights_.size() ? weights_[context.value] : 1.0);
}

std::string TimeSlice::misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
  const IntegerLists& lists = parameters.lists(kWeights);
  if (lists.size() > 1)
    return fmt::format("time-slice: {} is one list by application, and {} are given", kWeights, lists.size());
  if (!lists.empty() && gpu.applications != 0 && lists.front().size() > gpu.applications)
    return fmt::format("time-slice: {} names {} applications, of which there are {}", kWeights,
                       lists.front().size(), gpu.applications);
  return "";
}

HEDDLE_POLICY(
    SmPartitioner, TimeSlice, "time-slice",
    "the whole GPU to one context at a time, in turn among those with work",
    "NVIDIA MPS documentation, Architecture; NVIDIA DRIVE OS, Tegra GPU Scheduling Improvements",
    {{"quantum", "us", 2000, 1, 1e7, "length of a slice, as a time or in us; not documented, guess"},
     {"switch_cost", "us", 100, 0, 1e6,
      "from the last block of a context to the next context, without a block; not documented, guess"},
     {"idle", "us", 50, 0, 1e6,
      "without a kernel, after which a context gives its slice up; not documented, guess"},
     {kWeights, "1", IntegerLists{}, 1, 1000,
      "times the quantum: the length of a slice, a list by application; all: 1"}});

}  // namespace heddle
