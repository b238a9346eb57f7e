#include "models/host/requests/server_account.h"

#include <algorithm>
#include <utility>

namespace heddle {

ServerAccount::ServerAccount(std::size_t processes)
    : total_(processes), ended_{PartTimes(processes), PartTimes(processes)} {}

void ServerAccount::set(std::uint64_t now_ps, const ServerState& state) {
  account(now_ps);
  state_ = state;
}

void ServerAccount::account(std::uint64_t now_ps) {
  const std::uint64_t spent = now_ps - std::exchange(accounted_ps_, now_ps);
  if (!is_serving() || spent == 0) return;
  const bool executes = state_.part == RequestPart::kExecuting;
  // In two factors, because a time of hours times kWhole does not fit 64 bits.
  const std::uint64_t executing = spent / ServerState::kWhole * state_.progress +
                                  spent % ServerState::kWhole * state_.progress / ServerState::kWhole;
  total_.add(state_.part, state_.cause, executes ? executing : spent);
  if (executes) total_.add(RequestPart::kSlowed, state_.cause, spent - executing);
  if (segments_.empty() || segments_.back().end_ps != now_ps - spent ||
      segments_.back().part != state_.part || segments_.back().cause != state_.cause)
    segments_.push_back({now_ps - spent, now_ps, state_.part, state_.cause, 0});
  segments_.back().end_ps = now_ps;
  if (executes) segments_.back().executing_ps += executing;
}

// Takes what the segment had from this time on away. Of a part of a segment that was slowed, executing and
// slowed have their shares.
void ServerAccount::subtract(const Segment& segment, std::uint64_t from_ps, PartTimes& times) const {
  const std::uint64_t whole = segment.end_ps - segment.begin_ps;
  const std::uint64_t part = segment.end_ps - std::max(from_ps, segment.begin_ps);
  if (segment.part != RequestPart::kExecuting) return times.subtract(segment.part, segment.cause, part);
  std::uint64_t executing = segment.executing_ps;
  if (part < whole) {
    executing = static_cast<std::uint64_t>(static_cast<double>(executing) * static_cast<double>(part) /
                                           static_cast<double>(whole));
    executing = std::min(std::min(executing, part), segment.executing_ps);
    const std::uint64_t slowed = whole - segment.executing_ps;
    executing = std::max(executing, part - std::min(part, slowed));
  }
  times.subtract(RequestPart::kExecuting, segment.cause, executing);
  times.subtract(RequestPart::kSlowed, segment.cause, part - executing);
}

PartTimes ServerAccount::take_spare() {
  if (spare_.empty()) return PartTimes(total_.processes());
  PartTimes times = std::move(spare_.back());
  spare_.pop_back();
  return times;
}

void ServerAccount::arrive(std::uint64_t number, std::uint64_t arrival_ps, std::uint64_t now_ps) {
  account(now_ps);
  Arrival& arrival = waiting_.emplace_back();
  arrival.number = number;
  arrival.before = take_spare();
  arrival.before = total_;
  for (auto segment = segments_.rbegin(); segment != segments_.rend() && segment->end_ps > arrival_ps;
       ++segment)
    subtract(*segment, arrival_ps, arrival.before);
}

// Requests that were shed are passed over.
void ServerAccount::begin(std::uint64_t number, std::uint64_t now_ps) {
  account(now_ps);
  InService service{number, total_, total_};
  while (!waiting_.empty() && waiting_.front().number <= number) {
    if (waiting_.front().number == number) service.queue.subtract(waiting_.front().before);
    spare_.push_back(std::move(waiting_.front().before));
    waiting_.pop_front();
  }
  services_.push_back(std::move(service));
}

void ServerAccount::expect_from(std::uint64_t next_arrival_ps, std::uint64_t now_ps) {
  while (!segments_.empty() && segments_.front().end_ps <= std::min(now_ps, next_arrival_ps))
    segments_.pop_front();
}

const RequestAccount& ServerAccount::end(std::uint64_t number, std::uint64_t now_ps) {
  account(now_ps);
  const auto service = std::find_if(services_.begin(), services_.end(),
                                    [number](const InService& one) { return one.number == number; });
  ended_.queue = std::move(service->queue);
  ended_.service = total_;
  ended_.service.subtract(service->at_begin);
  services_.erase(service);
  return ended_;
}

}  // namespace heddle
