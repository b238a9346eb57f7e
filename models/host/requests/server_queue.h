#pragma once
// A ServerQueue has the requests of one host process: it draws their arrivals up to the time at which the
// process looks, keeps those that wait in their order, and says which request is served next. Nothing else
// runs for it. Times are picoseconds from the moment at which the process is ready. Pure logic.
//
// At one time the process takes a request from the queue before requests that arrive then enter it. A request
// that arrives while none waits is served at once, if the process takes it, and needs no room in the queue.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/host/requests/arrival_stream.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

struct Request {
  std::uint64_t number = 0;  // from 0 on, in the order of arrival
  std::uint64_t arrival_ps = 0;
  bool is_measured = false;
  RequestValues values{};
  // If another server has read the prompt: the simulated times in picoseconds at which the request arrived
  // there and had its first token. Otherwise both are 0.
  std::uint64_t came_ps = 0;
  std::uint64_t first_token_ps = 0;
};

enum class RequestOutcome : std::uint8_t {
  kServed,
  kShed,    // the queue was full
  kCutOff,  // it waited when the process ended
};

// The requests that had arrived and had not ended at the end of each quarter of the measured window: of its
// requests if their number is known before, and of its time otherwise.
using Backlog = std::array<std::uint64_t, 4>;

class ServerQueue {
 public:
  // `lost` is called for each request that is not served, with the time at which that is decided.
  using Lost = std::function<void(const Request& request, RequestOutcome outcome, std::uint64_t at_ps)>;
  // `arrived` is called for each request before anything else becomes of it; it may be empty. A request may
  // have arrived earlier than the call is made.
  using Arrived = std::function<void(const Request& request)>;
  // Says whether the process takes the request that is next. One that it does not take waits on.
  using Takes = std::function<bool(const Request& request)>;
  // Of requests that another server hands over; `ready_ps` is the simulated time from which times count.
  struct Source {
    HandOver* from = nullptr;  // null: requests arrive as the spec says
    std::uint64_t ready_ps = 0;
  };
  ServerQueue(const RequestSpec& spec, Lost lost, Arrived arrived, const Source& source);
  ServerQueue(const RequestSpec& spec, Lost lost, Arrived arrived = {})
      : ServerQueue(spec, std::move(lost), std::move(arrived), {}) {}

  // Returns the request that the process serves from `now` on, or null if none waits that it takes. It is
  // valid until the next call. `now` does not decrease from call to call, and is the same as next_arrival()
  // where the process has waited for it. Several requests may be in service at a time.
  const Request* start(std::uint64_t now, const Takes& takes = {});
  // A request in service has ended.
  void end(std::uint64_t now);
  // After start() has returned null: the time of the next start(), at which a request arrives or the duration
  // ends. kNoTime: the process has ended, unless may_come().
  std::uint64_t next_arrival() const;
  // Whether requests may be handed over that are not known yet.
  bool may_come() const { return !has_ended_ && stream_.may_come(); }

  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t waiting() const { return waiting_.size(); }                    // requests
  double waiting_of(std::size_t parameter) const { return sums_[parameter]; }  // its sum over those that wait
  std::uint64_t oldest_waiting() const { return waiting_.front().arrival_ps; }  // its arrival, if one waits
  // The requests that wait or are in service.
  std::uint64_t present() const { return waiting_.size() + in_service_; }
  // None before the window's end.
  std::optional<Backlog> backlog() const {
    return quarters_ == backlog_.size() ? std::optional(backlog_) : std::nullopt;
  }
  std::uint64_t measured_from() const { return begin_ps_; }  // the begin of the window
  double fraction_done(std::uint64_t now) const;             // 0 .. 1

 private:
  bool has_more() const;
  void push(const Request& request);
  Request pop();
  Request arrive();
  void admit_before(std::uint64_t now);
  void wait_or_be_lost(const Request& request);
  void cut_off();
  bool measures(std::uint64_t number, std::uint64_t arrival_ps);
  void note_backlog(const Request& request);
  void note_backlog_until(std::uint64_t time_ps);

  const RequestSpec spec_;
  const Lost lost_;
  const Arrived arrived_call_;
  ArrivalStream stream_;
  const bool is_handed_over_;
  std::vector<Random> draws_;  // by parameter
  std::deque<Request> waiting_;
  RequestValues sums_{};  // of the parameters of those that wait
  Request current_;
  std::uint64_t in_service_ = 0;
  bool has_ended_ = false;
  std::uint64_t arrived_ = 0;
  std::uint64_t measured_ = 0;
  std::uint64_t begin_ps_ = kNoTime;
  std::optional<std::uint64_t> expected_;  // the measured requests, if their number is known before
  Backlog backlog_{};
  std::size_t quarters_ = 0;  // of the window that have passed
};

}  // namespace heddle
