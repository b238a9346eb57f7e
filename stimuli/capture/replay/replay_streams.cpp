#include "stimuli/capture/replay/replay_streams.h"

#include <fmt/format.h>

namespace heddle::capture {

using CallKind = ApiCall::Kind;

ReplayStreams::ReplayStreams(ApiProgram& program) : program_(program) {
  program_.streams.emplace_back("default");
  streams_[0] = {};
}

bool ReplayStreams::create(std::uint32_t stream, bool waits_for_none) {
  if (knows(stream)) return false;
  Stream& made = streams_[stream];
  made.waits_for_none = waits_for_none;
  made.seen_of_default = streams_[0].used;
  if (free_streams_.empty()) {
    made.number = static_cast<std::uint32_t>(program_.streams.size());
    program_.streams.push_back(fmt::format("stream-{}", made.number));
    return true;
  }
  made.number = free_streams_.back();
  free_streams_.pop_back();
  return true;
}

// The commands of a destroyed stream complete, and the default stream still waits for them.
bool ReplayStreams::destroy(std::uint32_t stream) {
  const auto found = streams_.find(stream);
  if (stream == 0 || found == streams_.end()) return false;
  Stream& gone = found->second;
  if (!gone.waits_for_none && gone.used != gone.seen_by_default) join(gone, streams_[0]);
  if (gone.joined) free_events_.push_back(*gone.joined);
  free_streams_.push_back(gone.number);
  streams_.erase(found);
  return true;
}

ApiCall& ReplayStreams::add(CallKind kind, std::uint32_t stream, std::uint32_t event) {
  ApiCall call;
  call.kind = kind;
  call.stream = stream;
  call.event = event;
  program_.calls.push_back(call);
  return program_.calls.back();
}

std::uint32_t ReplayStreams::new_event() {
  if (!free_events_.empty()) {
    const std::uint32_t event = free_events_.back();
    free_events_.pop_back();
    return event;
  }
  program_.events.push_back(fmt::format("event-{}", program_.events.size()));
  return static_cast<std::uint32_t>(program_.events.size() - 1);
}

void ReplayStreams::join(Stream& earlier, const Stream& later) {
  if (!earlier.joined) earlier.joined = new_event();
  add(CallKind::kRecord, earlier.number, *earlier.joined);
  add(CallKind::kWait, later.number, *earlier.joined);
}

std::uint32_t ReplayStreams::use(std::uint32_t stream) {
  Stream& used = streams_.at(stream);
  Stream& first = streams_[0];
  if (stream == 0) {
    for (auto& [number, other] : streams_) {
      if (number == 0 || other.waits_for_none || other.used == other.seen_by_default) continue;
      join(other, first);
      other.seen_by_default = other.used;
    }
  } else if (!used.waits_for_none && used.seen_of_default != first.used) {
    join(first, used);
    used.seen_of_default = first.used;
  }
  ++used.used;
  return used.number;
}

bool ReplayStreams::record(std::uint32_t event, std::uint32_t stream) {
  if (!knows(stream)) return false;
  const std::uint32_t number = use(stream);
  const auto found = events_.find(event);
  if (found == events_.end()) events_[event].number = new_event();
  Event& recorded = events_[event];
  recorded.stream = stream;
  recorded.used = streams_[stream].used;
  add(CallKind::kRecord, number, recorded.number);
  return true;
}

bool ReplayStreams::wait(std::uint32_t event, std::uint32_t stream) {
  const auto found = events_.find(event);
  if (!knows(stream) || found == events_.end()) return false;
  add(CallKind::kWait, use(stream), found->second.number);
  return true;
}

void ReplayStreams::destroy_event(std::uint32_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  free_events_.push_back(found->second.number);
  events_.erase(found);
}

void ReplayStreams::done(std::uint32_t stream) {
  Stream& waited = streams_.at(stream);
  waited.seen_by_default = waited.used;
  if (stream != 0) return;
  for (auto& [number, other] : streams_) other.seen_of_default = waited.used;
}

void ReplayStreams::synchronise() {
  add(CallKind::kSynchronise, ApiCall::kAllStreams, 0);
  for (const auto& [number, stream] : streams_) done(number);
}

bool ReplayStreams::synchronise_stream(std::uint32_t stream) {
  if (!knows(stream)) return false;
  add(CallKind::kSynchronise, use(stream), 0);
  done(stream);
  return true;
}

// The host waits for the event's stream if that stream has no command after the event.
bool ReplayStreams::synchronise_event(std::uint32_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return false;
  const auto stream = streams_.find(found->second.stream);
  if (stream != streams_.end() && stream->second.used == found->second.used) {
    add(CallKind::kSynchronise, stream->second.number, 0);
    done(stream->first);
    return true;
  }
  if (!host_) {
    host_ = static_cast<std::uint32_t>(program_.streams.size());
    program_.streams.emplace_back("host");
  }
  add(CallKind::kWait, *host_, found->second.number);
  add(CallKind::kSynchronise, *host_, 0);
  return true;
}

}  // namespace heddle::capture
