// GPreempt (Fan et al., USENIX ATC 2025) sets the time slices of the hardware so that contexts of best effort
// yield the GPU at once. The GPU belongs to one context at a time, as under `time-slice`.
//   - A context is latency critical if no open context has a higher priority, and of best effort otherwise.
//   - The slice of a latency-critical context lasts `critical`, which is longer than any request. The slice
//   of
//     a best-effort context lasts `yield`, which is so short that the slice is over when a kernel of a
//     latency-critical context arrives. The blocks of the best-effort context then leave as the preemption
//     policy says. With `preemption: switch` they are stored, and go on later.
//   - A best-effort context keeps the GPU while no other context has work. When a latency-critical context
//   has
//     had no kernel for `idle`, another context gets the GPU.
//   - Among the contexts with work, one with the highest priority gets the GPU next. Contexts of equal
//   priority
//     go in turn. Several best-effort contexts with work exchange the GPU after each `yield`. The paper puts
//     their tasks into one context.
// A hint before a request hides the switch: the application launches a kernel of one thread that waits, while
// the CPU prepares the data. This is part of the application, and not of the policy.
//
// The slices of 1 s and 1 us are those of the published implementation. `switch_cost` is what a switch takes
// beyond storing and restoring blocks, which the preemption policy and the SMs determine.

#include <string>

#include "policies/sm_partitioner/tenants/time_slice.h"

namespace heddle {

namespace {

class GPreempt final : public TimeSlice {
 public:
  explicit GPreempt(const PolicyParameters& parameters)
      : TimeSlice(parameters["yield"], parameters["switch_cost"], parameters["idle"]),
        critical_us_(parameters["critical"]),
        yield_us_(parameters["yield"]) {}

  bool uses_priorities() const override { return true; }
  static std::string misfit(const GpuDescription&, const PolicyParameters&) { return ""; }

 private:
  double slice_us(const MachineView& machine, ContextId context) const override {
    const std::int32_t own = machine.contexts[context.value].priority;
    for (std::uint32_t i = 0; i < machine.contexts.size(); ++i) {
      const ContextView& other = machine.contexts[i];
      if (other.priority > own && (other.open || works(machine, ContextId{i}))) return yield_us_;
    }
    return critical_us_;
  }

  ContextId next_context(const MachineView& machine, ContextId present) const override {
    const auto contexts = static_cast<std::uint32_t>(machine.contexts.size());
    ContextId next = ContextId::none();
    for (std::uint32_t i = 1; i <= contexts; ++i) {
      const ContextId context{(present.value + i) % contexts};
      if (works(machine, context) &&
          (!next.valid() || machine.contexts[context.value].priority > machine.contexts[next.value].priority))
        next = context;
    }
    return next;
  }

  const double critical_us_;
  const double yield_us_;
};

HEDDLE_POLICY(SmPartitioner, GPreempt, "gpreempt",
              "one context at a time; one of best effort yields as soon as a latency-critical one has work",
              "Fan et al., GPreempt, USENIX ATC 2025; its published implementation",
              {{"critical", "us", 1e6, 1, 1e9, "length of a latency-critical slice"},
               {"yield", "us", 1, 1, 1e7, "length of a best-effort slice"},
               {"switch_cost", "us", 0, 0, 1e6,
                "of a switch, beyond storing and restoring blocks; not documented, guess"},
               {"idle", "us", 5, 0, 1e6,
                "without a kernel, after which a context gives the GPU up; not documented, guess"}});

}  // namespace

}  // namespace heddle
