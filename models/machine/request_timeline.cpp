#include "models/machine/request_timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint64_t kPsPerNs = 1000;

// Tracks of equal names would be merged by the viewer.
std::string name_of(const RequestTimeline::Server& server,
                    const std::vector<RequestTimeline::Server>& servers) {
  const auto has_name = [&](const RequestTimeline::Server& other) { return other.name == server.name; };
  const bool is_alone = std::count_if(servers.begin(), servers.end(), has_name) == 1;
  return is_alone ? server.name : fmt::format("{} {}", server.name, server.process);
}

}  // namespace

RequestTimeline::RequestTimeline(Timeline& timeline, const std::vector<Server>& servers)
    : timeline_(timeline) {
  if (servers.empty()) return;
  names_ = names_of(timeline_);
  const TrackId all = timeline_.process("requests");
  for (const Server& server : servers) {
    if (servers_.size() <= server.process) servers_.resize(server.process + 1);
    Tracks& tracks = servers_[server.process].emplace();
    tracks.name = name_of(server, servers);
    tracks.has_deadline = server.has_deadline;
    tracks.serves_together = server.serves_together;
    tracks.group = timeline_.track(all, tracks.name);
    if (server.serves_together) continue;
    tracks.service = timeline_.track(tracks.group, tracks.name + " service");
    tracks.queue = timeline_.counter(tracks.group, tracks.name + " queue", "requests");
    timeline_.value(tracks.queue, 0, 0);
  }
}

RequestTimeline::Names RequestTimeline::names_of(Timeline& timeline) {
  Names names{};
  for (const bool is_measured : {false, true}) {
    const char* const mark = is_measured ? "" : " (not measured)";
    names.in_time[is_measured] = timeline.name(fmt::format("in time{}", mark));
    names.late[is_measured] = timeline.name(fmt::format("late{}", mark));
    names.served[is_measured] = timeline.name(fmt::format("served{}", mark));
  }
  names.waits = timeline.name("waits");
  names.prompt = timeline.name("reads its prompt");
  names.cut_off = timeline.name("cut off");
  names.shed = timeline.name("shed");
  names.request = timeline.argument("request");
  names.waited = timeline.argument("waited_ns");
  names.tokens = timeline.argument("tokens");
  return names;
}

void RequestTimeline::add(const RequestRecord& record) {
  Tracks& tracks = *servers_[record.process];
  if (record.outcome == RequestOutcome::kShed) {
    if (!tracks.shed) tracks.shed = timeline_.track(tracks.group, tracks.name + " shed");
    timeline_.instant(*tracks.shed, record.arrival_ps, names_->shed);
    return;
  }
  if (tracks.serves_together) return draw_together(tracks, record);
  const bool is_served = record.outcome == RequestOutcome::kServed;
  draw_waiting(tracks, record, is_served ? record.start_ps : record.end_ps);
  if (is_served) draw_service(tracks, record);
}

NameId RequestTimeline::name_of_service(const Tracks& tracks, const RequestRecord& record) const {
  const auto& names = !tracks.has_deadline  ? names_->served
                      : record.is_in_time() ? names_->in_time
                                            : names_->late;
  return names[record.is_measured];
}

void RequestTimeline::draw_service(Tracks& tracks, const RequestRecord& record) {
  timeline_.slice(tracks.service, record.start_ps, record.end_ps, name_of_service(tracks, record), {},
                  {{names_->request, record.number}, {names_->waited, record.queueing_ps() / kPsPerNs}});
}

// A request that leaves the queue when it arrives was never in it.
void RequestTimeline::draw_waiting(Tracks& tracks, const RequestRecord& record, std::uint64_t until_ps) {
  draw_leaving(tracks, record.arrival_ps);
  if (until_ps == record.arrival_ps) return;
  timeline_.value(tracks.queue, record.arrival_ps, ++tracks.length);
  tracks.leaving_ps.push_back(until_ps);
  Lane* const lane = free_lane(tracks, record.arrival_ps, kMostWaiting, "waiting");
  if (lane == nullptr) return;
  lane->busy_until_ps = until_ps;
  timeline_.slice(lane->track, record.arrival_ps, until_ps,
                  record.outcome == RequestOutcome::kServed ? names_->waits : names_->cut_off);
}

// Returns a lane that has nothing from this time on, or null if there are as many as there may be.
RequestTimeline::Lane* RequestTimeline::free_lane(Tracks& tracks, std::uint64_t from_ps, std::size_t most,
                                                  const char* what) {
  const auto lane = std::find_if(tracks.waiting.begin(), tracks.waiting.end(),
                                 [&](const Lane& one) { return one.busy_until_ps <= from_ps; });
  if (lane != tracks.waiting.end()) return &*lane;
  if (tracks.waiting.size() == most) return nullptr;
  const std::string name = fmt::format("{} {} {}", tracks.name, what, tracks.waiting.size() + 1);
  return &tracks.waiting.emplace_back(Lane{timeline_.track(tracks.group, name), 0});
}

// A request has a lane of its own from its arrival to its end.
void RequestTimeline::draw_together(Tracks& tracks, const RequestRecord& record) {
  Lane* const lane = free_lane(tracks, record.arrival_ps, kMostTogether, "request");
  if (lane == nullptr) return;
  lane->busy_until_ps = record.end_ps;
  if (!record.tokens) {
    timeline_.slice(lane->track, record.arrival_ps, record.end_ps, names_->cut_off);
    return;
  }
  if (record.start_ps > record.arrival_ps)
    timeline_.slice(lane->track, record.arrival_ps, record.start_ps, names_->waits);
  timeline_.slice(lane->track, record.start_ps, record.tokens->first_ps, names_->prompt);
  timeline_.slice(lane->track, record.tokens->first_ps, record.end_ps, name_of_service(tracks, record), {},
                  {{names_->request, record.number}, {names_->tokens, record.tokens->tokens}});
}

// Draws the requests that leave the queue up to this time. Those that leave it together are one value.
void RequestTimeline::draw_leaving(Tracks& tracks, std::uint64_t until_ps) {
  std::deque<std::uint64_t>& leaving = tracks.leaving_ps;
  while (!leaving.empty() && leaving.front() <= until_ps) {
    const std::uint64_t now = leaving.front();
    while (!leaving.empty() && leaving.front() == now) {
      leaving.pop_front();
      --tracks.length;
    }
    timeline_.value(tracks.queue, now, tracks.length);
  }
}

void RequestTimeline::finish() {
  for (std::optional<Tracks>& tracks : servers_)
    if (tracks) draw_leaving(*tracks, ~std::uint64_t{0});
}

}  // namespace heddle
