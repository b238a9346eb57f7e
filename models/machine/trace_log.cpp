#include "models/machine/trace_log.h"

#include <algorithm>
#include <utility>

namespace heddle {

TraceSink& TraceLog::sink(const std::string& place, TraceClock clock) {
  sources_.push_back(std::make_unique<Source>(place, clock));
  return *sources_.back();
}

std::vector<TraceWindow> TraceLog::windows(SmId sm, std::uint32_t slot, ContextId context,
                                           std::uint32_t tag) const {
  std::vector<TraceWindow> windows;
  for (const TraceSelection& one : selections_)
    if ((!one.sm || *one.sm == sm.value) && (!one.warp || *one.warp == slot) &&
        (one.kernel.empty() || one.kernel == kernel_(context, tag)))
      windows.push_back(one.window);
  return windows;
}

void TraceLog::take(std::uint64_t end_ps, const std::function<void(const TracedEvent&)>& write) {
  std::vector<TracedEvent> due;
  std::vector<std::vector<TraceEvent>> taken(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = *sources_[i];
    const Time& time = times_[static_cast<std::size_t>(source.clock)];
    std::vector<TraceEvent> later;
    for (TraceEvent& event : source.events)
      (time(event.at) < end_ps ? taken[i] : later).push_back(std::move(event));
    source.events = std::move(later);
    for (const TraceEvent& event : taken[i])
      due.push_back({&event, &source.place, source.clock, time(event.at)});
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const TracedEvent& a, const TracedEvent& b) { return a.ps < b.ps; });
  for (const TracedEvent& event : due) write(event);
}

}  // namespace heddle
