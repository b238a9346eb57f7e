#include "models/host/requests/server_queue.h"

#include <algorithm>
#include <utility>

namespace heddle {

ServerQueue::ServerQueue(const RequestSpec& spec, Lost lost, Arrived arrived, const Source& source)
    : spec_(spec),
      lost_(std::move(lost)),
      arrived_call_(std::move(arrived)),
      stream_(spec.arrivals, Random(spec.seed).fork("arrivals"), source.from, source.ready_ps),
      is_handed_over_(source.from != nullptr) {
  const Random values = Random(spec.seed).fork("parameters");
  for (const RequestParameter& parameter : spec_.parameters) draws_.push_back(values.fork(parameter.name));
  if (spec_.warm_up_requests == 0) begin_ps_ = spec_.warm_up_ps;
  if (spec_.window_requests != RequestSpec::kUnlimited)
    expected_ = spec_.window_requests;
  else if (!is_handed_over_ && spec_.most_requests != RequestSpec::kUnlimited && spec_.warm_up_ps == 0 &&
           spec_.window_ps == kNoTime)
    expected_ = spec_.most_requests - spec_.warm_up_requests;
}

const Request* ServerQueue::start(std::uint64_t now, const Takes& takes) {
  admit_before(now);
  if (now >= spec_.duration_ps && !is_handed_over_) {
    cut_off();
    return nullptr;
  }
  const auto is_taken = [&takes](const Request& request) { return !takes || takes(request); };
  const bool had_queue = !waiting_.empty();
  if (had_queue) {
    if (!is_taken(waiting_.front())) return nullptr;
    current_ = pop();
    ++in_service_;
  }
  // A source that waits with a request goes on now, and so does one whose request arrives when none waits.
  const std::uint64_t next = has_more() ? stream_.next() : kNoTime;
  if (next > now || (next == now && had_queue)) return had_queue ? &current_ : nullptr;
  const Request request = arrive();
  stream_.delay(now - next);
  if (!had_queue && is_taken(request)) {
    current_ = request;
    ++in_service_;
    note_backlog(request);
    return &current_;
  }
  if (had_queue) {
    push(request);
    note_backlog(request);
    return &current_;
  }
  wait_or_be_lost(request);
  return nullptr;
}

void ServerQueue::push(const Request& request) {
  waiting_.push_back(request);
  for (std::size_t i = 0; i < spec_.parameters.size(); ++i) sums_[i] += request.values[i];
}

// Parameters need not be whole, so that an empty queue clears what rounding has left.
Request ServerQueue::pop() {
  const Request request = waiting_.front();
  waiting_.pop_front();
  for (std::size_t i = 0; i < spec_.parameters.size(); ++i)
    sums_[i] = waiting_.empty() ? 0 : sums_[i] - request.values[i];
  return request;
}

void ServerQueue::end(std::uint64_t now) {
  --in_service_;
  admit_before(now);
  stream_.answer(now);
}

std::uint64_t ServerQueue::next_arrival() const {
  if (has_ended_) return kNoTime;
  if (has_more()) return stream_.next();
  return is_handed_over_ ? kNoTime : spec_.duration_ps;
}

// The server that hands requests over decides how many there are.
bool ServerQueue::has_more() const {
  const std::uint64_t next = stream_.next();
  if (is_handed_over_) return next != kNoTime;
  return arrived_ < spec_.most_requests && next < spec_.duration_ps;
}

// The request arrives that the stream has next.
Request ServerQueue::arrive() {
  Request request;
  request.number = arrived_++;
  request.arrival_ps = stream_.next();
  for (std::size_t i = 0; i < spec_.parameters.size(); ++i) {
    const RequestParameter& parameter = spec_.parameters[i];
    request.values[i] = parameter.column
                            ? spec_.arrivals.table->columns[*parameter.column].values[stream_.row()]
                            : parameter.distribution.draw(draws_[i]);
  }
  if (const HandOver::Item* const item = stream_.handed()) {
    request.came_ps = item->came_ps;
    request.first_token_ps = item->first_token_ps;
    request.values[spec_.batch->prompt] = item->prompt;
    request.values[spec_.batch->output] = item->output;
  }
  note_backlog_until(request.arrival_ps);
  request.is_measured = measures(request.number, request.arrival_ps);
  stream_.take();
  if (arrived_call_) arrived_call_(request);
  return request;
}

// The process serves requests at all times before `now`, so that nothing leaves the queue meanwhile.
void ServerQueue::admit_before(std::uint64_t now) {
  while (has_more() && stream_.next() < now) {
    if (waiting_.size() >= spec_.queue_limit && !spec_.sheds) return;
    wait_or_be_lost(arrive());
  }
}

// The request enters the queue, or is lost if that is full.
void ServerQueue::wait_or_be_lost(const Request& request) {
  const bool is_full = waiting_.size() >= spec_.queue_limit && spec_.sheds;
  if (!is_full) push(request);
  note_backlog(request);
  if (!is_full) return;
  lost_(request, RequestOutcome::kShed, request.arrival_ps);
  stream_.answer(request.arrival_ps);
}

void ServerQueue::cut_off() {
  note_backlog_until(spec_.duration_ps);
  for (const Request& request : waiting_) lost_(request, RequestOutcome::kCutOff, spec_.duration_ps);
  waiting_.clear();
  sums_.fill(0);
  has_ended_ = true;
}

bool ServerQueue::measures(std::uint64_t number, std::uint64_t arrival_ps) {
  if (number < spec_.warm_up_requests || arrival_ps < spec_.warm_up_ps) return false;
  if (begin_ps_ == kNoTime) begin_ps_ = arrival_ps;
  if (measured_ >= spec_.window_requests || arrival_ps - begin_ps_ >= spec_.window_ps) return false;
  ++measured_;
  return true;
}

// Takes the quarters that have passed by the arrival of this request, which waits or is served by now.
void ServerQueue::note_backlog(const Request& request) {
  if (!expected_ || !request.is_measured) return;
  while (quarters_ < backlog_.size() && 4 * measured_ >= *expected_ * (quarters_ + 1))
    backlog_[quarters_++] = present();
}

// Takes the quarters that end up to this time, before what arrives then.
void ServerQueue::note_backlog_until(std::uint64_t time_ps) {
  if (expected_ || begin_ps_ == kNoTime || spec_.duration_ps <= begin_ps_) return;
  const std::uint64_t whole = std::min(spec_.window_ps, spec_.duration_ps - begin_ps_);
  while (quarters_ < backlog_.size() && begin_ps_ + whole / 4 * (quarters_ + 1) <= time_ps)
    backlog_[quarters_++] = present();
}

double ServerQueue::fraction_done(std::uint64_t now) const {
  if (has_ended_) return 1;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  };
  if (is_handed_over_) return share(arrived_ - present(), std::max<std::uint64_t>(arrived_, 1));
  if (spec_.most_requests == RequestSpec::kUnlimited) return share(now, spec_.duration_ps);
  return share(arrived_ - present(), spec_.most_requests);
}

}  // namespace heddle
