#pragma once
// A RequestService has the requests of a server from its setup on: it says which one the server serves next,
// and records and accounts each. Times are picoseconds of simulated time. Pure logic.

#include <cstdint>
#include <functional>

#include "models/host/requests/request_log.h"
#include "models/host/requests/server_account.h"
#include "models/host/requests/server_queue.h"

namespace heddle {

class RequestService {
 public:
  struct Deps {
    std::function<void(const RequestRecord& record)>
        recorded;                      // called when a request has ended; may be empty
    Accountant* accountant = nullptr;  // null: nobody accounts the requests
  };
  // Requests arrive from `ready_ps` on.
  RequestService(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps, Deps deps);

  // Starts the service of the next request and returns it, or null if none waits.
  const Request* start(std::uint64_t now_ps);
  void end(std::uint64_t now_ps);  // of the service
  // The time at which the next request arrives, or kNoTime if none will. After start() has returned null it
  // is that of the next start(), and kNoTime means that the server has ended.
  std::uint64_t next_start_ps() const;

  std::uint64_t deadline_ps() const { return deadline_ps_; }  // of the request in service; 0: none
  std::uint64_t ready_ps() const { return ready_ps_; }
  const ServerQueue& queue() const { return queue_; }

 private:
  void record(const Request& request, RequestOutcome outcome, std::uint64_t start_ps, std::uint64_t end_ps,
              const RequestAccount* account);

  const std::uint32_t process_;
  const RequestSpec spec_;
  const std::uint64_t ready_ps_;
  const Deps deps_;
  ServerQueue queue_;
  const Request* request_ = nullptr;  // in service
  std::uint64_t start_ps_ = 0;        // of the service
  std::uint64_t deadline_ps_ = 0;
};

}  // namespace heddle
