#include "models/dram/traced_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {

void TracedRequests::add(TraceStage stage, std::uint32_t request, Cycle since, Cycle now,
                         std::string detail) {
  TraceEvent event;
  event.stage = stage;
  event.at = now;
  event.since = since;
  event.request = request;
  event.detail = std::move(detail);
  sink_.add(std::move(event));
}

void TracedRequests::tell(TraceStage stage, std::uint32_t request, Cycle since, Cycle now) {
  add(stage, request, since, now, "");
}

void TracedRequests::queued(std::uint32_t request, const DramRequest& is, Cycle since, Cycle now) {
  const DramLocation at = map_.locate(is.local);
  const std::uint32_t group = map_.pseudo_channel(is.local) * map_.groups() + at.group;
  waiting_.push_back({request, group, at.bank, at.row});
  add(TraceStage::kDramQueue, request, since, now,
      fmt::format("{} of row {} in bank {} of group {}", is.write ? "write" : "read", at.row, at.bank,
                  group));
}

void TracedRequests::command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
                             std::uint32_t row) {
  const bool opens = command == DramCommand::kActivate;
  if (!opens && command != DramCommand::kPrecharge) return;
  for (const Waiting& waiting : waiting_)
    if (waiting.group == group && waiting.bank == bank && (waiting.row == row) == opens)
      add(TraceStage::kDramCommand, waiting.request, now, now,
          fmt::format("{} of row {}", name_of(command), row));
}

void TracedRequests::served(std::uint32_t request, bool write, Cycle last_beat, Cycle now) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [request](const Waiting& one) { return one.request == request; });
  if (found != waiting_.end()) waiting_.erase(found);
  add(TraceStage::kDramCommand, request, now, now,
      fmt::format("{} with data until CK {}", write ? "write" : "read", last_beat.value));
}

}  // namespace heddle
