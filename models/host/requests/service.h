#pragma once
// A Service has the requests of a server from its setup on. It says what each pass of the server's program is
// for, and records and accounts the requests. Times are picoseconds of simulated time. Pure logic.
//
//   RequestService   a pass serves one request
//   BatchService     a pass is a step of all requests that are in service

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "models/core/base/batch_view.h"
#include "models/host/requests/request_log.h"
#include "models/host/requests/server_account.h"
#include "models/host/requests/server_queue.h"

namespace heddle {

struct TokenTotals;

class Service {
 public:
  struct Deps {
    std::function<void(const RequestRecord& record)>
        recorded;                      // called when a request has ended; may be empty
    Accountant* accountant = nullptr;  // null: nobody accounts the requests
    HandOver* takes = nullptr;         // has the requests that another server hands over to this one
    HandOver* gives = nullptr;         // takes the requests that this one hands over to another server
  };
  // Requests arrive from `ready_ps` on.
  Service(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps, Deps deps);
  virtual ~Service() = default;

  // Begins the next pass and returns the values of its parameters, or null if no request waits or is in
  // service. The values are valid until the next call. Throws std::runtime_error for a request that can never
  // be served.
  virtual const RequestValues* start(std::uint64_t now_ps) = 0;
  virtual void end(std::uint64_t now_ps) = 0;  // of the pass
  virtual std::string pass_name() const = 0;   // "request 7" of the pass that has begun last, for messages
  virtual std::uint64_t deadline_ps() const { return 0; }        // of the pass; 0: none
  virtual const TokenTotals* tokens() const { return nullptr; }  // null: its requests have no tokens
  virtual BatchView batch_view() const { return {}; }            // of the pass that has begun last

  // The time at which the next request arrives, or kNoTime if none will. After start() has returned null it
  // is that of the next start(), and kNoTime means that the server has ended.
  std::uint64_t next_start_ps() const;
  // Whether requests may be handed over that are not known yet, so that the server has not ended.
  bool may_come() const { return queue_.may_come(); }
  std::uint64_t ready_ps() const { return ready_ps_; }
  std::uint64_t served() const { return served_; }  // requests
  const ServerQueue& queue() const { return queue_; }

 protected:
  // Returns the record of the request without what a service adds.
  RequestRecord record_of(const Request& request, RequestOutcome outcome, std::uint64_t start_ps,
                          std::uint64_t end_ps) const;
  void record(const RequestRecord& record);
  const RequestSpec& spec() const { return spec_; }
  std::uint32_t process() const { return process_; }
  Accountant* accountant() const { return deps_.accountant; }
  HandOver* gives() const { return deps_.gives; }
  ServerQueue& own_queue() { return queue_; }

 private:
  const std::uint32_t process_;
  const RequestSpec spec_;
  const std::uint64_t ready_ps_;
  const Deps deps_;
  std::uint64_t served_ = 0;
  ServerQueue queue_;
};

// Returns the service that the spec asks for.
std::unique_ptr<Service> make_service(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps,
                                      Service::Deps deps);

}  // namespace heddle
