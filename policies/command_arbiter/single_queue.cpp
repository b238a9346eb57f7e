#include <fmt/format.h>

#include <algorithm>

#include "policies/command_arbiter/i_command_arbiter.h"

namespace heddle {

namespace {

// The single queue of Fermi (CUsched, Section II-A). Commands are dispatched strictly in order of arrival, so
// a command that waits for its stream delays all later commands (false serialisation). One context has the
// GPU to itself: a command of another context waits until all outstanding commands are complete.
class SingleQueue final : public CommandArbiter {
 public:
  explicit SingleQueue(const PolicyParameters&) {}

  // With several queues in strict order, the wait for an event can reach a head before the command that
  // records the event. Both commands then wait for ever.
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    if (gpu.hardware_queues == 1) return "";
    return fmt::format("command_arbiter single-queue needs queues.count: 1, which is {}",
                       gpu.hardware_queues);
  }

  std::size_t choose(const FrontEndView& view) override {
    const auto oldest = std::min_element(view.heads.begin(), view.heads.end(),
                                         [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
    const bool other = view.last_context.valid() && oldest->context != view.last_context;
    if (!oldest->ready || (other && view.outstanding > 0)) return view.heads.size();
    return static_cast<std::size_t>(oldest - view.heads.begin());
  }
};

HEDDLE_POLICY(CommandArbiter, SingleQueue, "single-queue",
              "commands strictly in order, one context at a time (false serialisation)",
              "CUsched, Section II-A", {});

}  // namespace

}  // namespace heddle
