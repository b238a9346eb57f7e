#include "models/machine/trace_tracks.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

}  // namespace

TraceTracks::Warp& TraceTracks::warp_of(const WarpKey& key) {
  const auto [found, is_new] = warps_.try_emplace(key);
  if (is_new) {
    found->second.name = fmt::format("sm{}.warp{}", key.first, key.second);
    found->second.parent = timeline_.track(process_, found->second.name);
  }
  return found->second;
}

// Returns the first of the tracks that is free from `begin_ps` on, which is then busy until `end_ps`.
TrackId TraceTracks::lane(Lanes& lanes, const Warp& warp, const char* what, std::uint64_t begin_ps,
                          std::uint64_t end_ps) {
  const auto free = std::find_if(lanes.begin(), lanes.end(),
                                 [begin_ps](const auto& lane) { return lane.second <= begin_ps; });
  if (free != lanes.end()) {
    free->second = end_ps;
    return free->first;
  }
  const std::string name = fmt::format("{} {} {}", warp.name, what, lanes.size() + 1);
  lanes.emplace_back(timeline_.track(warp.parent, name), end_ps);
  return lanes.back().first;
}

void TraceTracks::add(const TraceEvent& event, std::uint64_t ps) {
  if (event.request != 0) {
    if (event.stage == TraceStage::kRequest)
      requests_[event.request] = {{event.sm.value, event.warp}, {{ps, event.stage}}};
    const auto found = requests_.find(event.request);
    if (found == requests_.end()) return;
    if (event.stage != TraceStage::kRequest) found->second.hops.push_back({ps, event.stage});
    if (event.stage != TraceStage::kAnswer) return;
    draw_request(event.request, found->second);
    requests_.erase(found);
    return;
  }
  if (!event.sm.valid()) return;
  Warp& warp = warp_of({event.sm.value, event.warp});
  if (event.stage == TraceStage::kWait) draw_wait(warp, event);
  if (event.stage == TraceStage::kIssue) draw_issue(warp, event, ps);
  if (event.stage == TraceStage::kWriteBack) draw_instruction(warp, event, ps);
}

// The name is the reason alone, so that waits for different registers have one colour.
void TraceTracks::draw_wait(Warp& warp, const TraceEvent& event) {
  const std::uint64_t begin = core_ps_(event.since);
  const std::uint64_t end = core_ps_(event.at + 1);
  timeline_.slice(lane(warp.issues, warp, "issue", begin, end), begin, end,
                  timeline_.name("waits: " + first_word(event.detail)));
}

void TraceTracks::draw_issue(Warp& warp, const TraceEvent& event, std::uint64_t ps) {
  const NameId name = timeline_.name(first_word(event.detail));
  const std::uint64_t end = core_ps_(event.at + 1);
  timeline_.slice(lane(warp.issues, warp, "issue", ps, end), ps, end, name);
  warp.in_flight.push_back({event.pc, ps, name});
}

// Instructions of one place in the code are written back in the order of their issue.
void TraceTracks::draw_instruction(Warp& warp, const TraceEvent& event, std::uint64_t ps) {
  const auto issued = std::find_if(warp.in_flight.begin(), warp.in_flight.end(),
                                   [&event](const Issued& one) { return one.pc == event.pc; });
  if (issued == warp.in_flight.end()) return;
  timeline_.slice(lane(warp.instructions, warp, "instructions", issued->ps, ps), issued->ps, ps,
                  issued->name);
  warp.in_flight.erase(issued);
}

// Each hop is named by the stage in which it ends.
void TraceTracks::draw_request(std::uint32_t number, const Request& request) {
  Warp& warp = warp_of(request.warp);
  const std::vector<Hop>& hops = request.hops;
  const TrackId track = lane(warp.requests, warp, "requests", hops.front().ps, hops.back().ps);
  static const std::string kNumber = "request";
  const ArgumentId argument = timeline_.argument(kNumber);
  for (std::size_t i = 1; i < hops.size(); ++i)
    timeline_.slice(track, hops[i - 1].ps, hops[i].ps,
                    timeline_.name(fmt::format("to {}", name_of(hops[i].stage))), {}, {{argument, number}});
}

}  // namespace heddle
