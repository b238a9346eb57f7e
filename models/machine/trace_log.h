#pragma once
// A TraceLog is the trace of one GPU: it chooses what is followed, and puts the events of all blocks into one
// order. Blocks work at the same time; each writes to a list of its own. The order is that of time, then of
// the blocks, then that in which a block has told its events. It does not depend on the number of threads.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/kernel/trace.h"

namespace heddle {

// What is followed: the warps for which all of this holds.
struct TraceSelection {
  std::optional<std::uint32_t> sm;    // none: every SM
  std::optional<std::uint32_t> warp;  // slot; none: every one
  std::string kernel;                 // its name; empty: every kernel
  TraceWindow window;
};

// An event with its block and its time.
struct TracedEvent {
  const TraceEvent* event = nullptr;
  const std::string* place = nullptr;
  TraceClock clock = TraceClock::kCore;
  std::uint64_t ps = 0;
};

class TraceLog final : public TraceObserver {
 public:
  using KernelName = std::function<std::string(ContextId, std::uint32_t tag)>;
  TraceLog(std::vector<TraceSelection> selections, KernelName kernel)
      : selections_(std::move(selections)), kernel_(std::move(kernel)) {}

  TraceSink& sink(const std::string& place, TraceClock clock) override;
  std::vector<TraceWindow> windows(SmId sm, std::uint32_t slot, ContextId context,
                                   std::uint32_t tag) const override;
  std::string kernel(ContextId context, std::uint32_t tag) const override { return kernel_(context, tag); }

  // The time of a cycle of each clock in picoseconds. The call is made before the run.
  using Time = std::function<std::uint64_t(Cycle)>;
  void set_clock(TraceClock clock, Time time) { times_[static_cast<std::size_t>(clock)] = std::move(time); }

  // Calls write(TracedEvent) for the events before `end_ps` that have not been written, in their order. The
  // blocks do not work meanwhile, and tell nothing of the time before `end_ps` after the call.
  void take(std::uint64_t end_ps, const std::function<void(const TracedEvent&)>& write);

 private:
  struct Source final : TraceSink {
    Source(std::string name, TraceClock of) : place(std::move(name)), clock(of) {}
    void add(TraceEvent event) override { events.push_back(std::move(event)); }
    std::string place;
    TraceClock clock;
    std::vector<TraceEvent> events;
  };

  const std::vector<TraceSelection> selections_;
  const KernelName kernel_;
  std::array<Time, kTraceClocks> times_;
  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace heddle
