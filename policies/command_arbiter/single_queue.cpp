#include <fmt/format.h>

#include <algorithm>

#include "policies/command_arbiter/i_command_arbiter.h"

namespace heddle {

namespace {

// Fermi (CUsched, Section II-A): commands leave strictly in the order in which they came, so a command that
// must wait for its stream holds up those behind it (false serialisation), and one context has the GPU to
// itself: another's command waits until everything outstanding is complete.
class SingleQueue final : public CommandArbiter {
 public:
  explicit SingleQueue(const PolicyParameters&) {}

  // In strict order over several queues the wait for an event can come to a head before the event's record,
  // and both wait for ever.
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
