#pragma once
// A TraceRecorder follows every warp and keeps the events.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/core/kernel/trace.h"

namespace heddle::test {

class TraceRecorder final : public TraceObserver, public TraceSink {
 public:
  explicit TraceRecorder(TraceWindow window = {}) : window_(window) {}
  TraceSink& sink(const std::string&, TraceClock) override { return *this; }
  std::vector<TraceWindow> windows(SmId, std::uint32_t, ContextId, std::uint32_t) const override {
    return {window_};
  }
  std::string kernel(ContextId, std::uint32_t) const override { return "kernel"; }
  void add(TraceEvent event) override { events.push_back(std::move(event)); }

  // Returns the cycles of the events of this stage, in their order.
  std::vector<std::uint64_t> cycles_of(TraceStage stage) const {
    std::vector<std::uint64_t> cycles;
    for (const TraceEvent& event : events)
      if (event.stage == stage) cycles.push_back(event.at.value);
    return cycles;
  }

  std::vector<TraceEvent> events;

 private:
  const TraceWindow window_;
};

}  // namespace heddle::test
