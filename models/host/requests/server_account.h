#pragma once
// A ServerAccount accounts the requests of one server: it follows what the server and the GPU do for them.
// Pure logic.

#include <cstdint>
#include <deque>
#include <vector>

#include "models/host/requests/request_account.h"

namespace heddle {

// What a server spends its time on. Of kExecuting, `progress` of kWhole is executing, and the rest is slowed.
struct ServerState {
  static constexpr std::uint32_t kWhole = 1U << 20U;
  RequestPart part = RequestPart::kHost;
  std::uint32_t cause = 0;
  std::uint32_t progress = kWhole;
};

// A ServerAccount follows the state of one server and accounts its requests. Times do not decrease from call
// to call.
class ServerAccount {
 public:
  explicit ServerAccount(std::size_t processes);

  void set(std::uint64_t now_ps, const ServerState& state);  // from now on
  // A request has arrived, now or at a time that was not known before. Requests come in their order.
  void arrive(std::uint64_t number, std::uint64_t arrival_ps, std::uint64_t now_ps);
  // The service of a request begins, beside those of others. Requests begin in their order.
  void begin(std::uint64_t number, std::uint64_t now_ps);
  // No request that is not known yet has arrived before this time or `now_ps`: what was before is forgotten.
  void expect_from(std::uint64_t next_arrival_ps, std::uint64_t now_ps);
  // The service of the request ends. The account is valid until the next call.
  const RequestAccount& end(std::uint64_t number, std::uint64_t now_ps);
  bool is_serving() const { return !services_.empty(); }

 private:
  struct Segment {  // of one state, and of several that differ in their progress
    std::uint64_t begin_ps = 0;
    std::uint64_t end_ps = 0;
    RequestPart part = RequestPart::kHost;
    std::uint32_t cause = 0;
    std::uint64_t executing_ps = 0;  // kExecuting: the part of the segment that is not slowed
  };
  struct Arrival {
    std::uint64_t number = 0;
    PartTimes before;  // what the server had done by then
  };

  void account(std::uint64_t now_ps);
  void subtract(const Segment& segment, std::uint64_t from_ps, PartTimes& times) const;
  PartTimes take_spare();

  struct InService {
    std::uint64_t number = 0;
    PartTimes queue;     // of its account
    PartTimes at_begin;  // what the server had done by then
  };

  PartTimes total_;  // of all times with a request in service so far
  RequestAccount ended_;
  ServerState state_;
  std::vector<InService> services_;  // in the order in which they began
  std::uint64_t accounted_ps_ = 0;
  std::deque<Segment> segments_;  // of the time from which a request may still be found to have arrived
  std::deque<Arrival> waiting_;
  std::vector<PartTimes> spare_;  // of requests that wait no longer
};

// Host processes with requests tell the Accountant what they do.
class Accountant {
 public:
  virtual ~Accountant() = default;
  // Whether the process waits for the GPU or for a queue, from now on.
  virtual void waits_for_gpu(std::uint32_t process, bool waits) = 0;
  virtual void arrived(std::uint32_t process, std::uint64_t number, std::uint64_t arrival_ps) = 0;
  virtual void started(std::uint32_t process, std::uint64_t number) = 0;
  // A pass of the program begins. No request that has not been told of arrives before `next_arrival_ps`.
  virtual void passes(std::uint32_t process, std::uint64_t next_arrival_ps) = 0;
  virtual const RequestAccount& ended(std::uint32_t process, std::uint64_t number) = 0;
};

}  // namespace heddle
