// The service of a host process that serves requests.

#include <fmt/format.h>

#include <stdexcept>

#include "models/host/host_process.h"

namespace heddle {

namespace {

std::uint64_t now_ps() {
  return static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
}

}  // namespace

std::uint64_t HostProcess::since_ready_ps() const {
  return now_ps() - state_.ready_ps;
}

void HostProcess::serve() {
  set_up();
  state_.ready_ps = now_ps();
  requests_ = std::make_unique<ServerQueue>(
      *spec_.requests,
      [this](const Request& request, RequestOutcome outcome, std::uint64_t at_ps) {
        record(request, outcome, 0, state_.ready_ps + at_ps, nullptr);
      },
      [this](const Request& request) {
        if (deps_.accountant != nullptr)
          deps_.accountant->arrived(spec_.number, request.number, state_.ready_ps + request.arrival_ps);
      });
  for (;;) {
    if (const Request* request = requests_->start(since_ready_ps())) {
      serve(*request);
      continue;
    }
    const std::uint64_t next = requests_->next_arrival();
    if (next == kNoTime) break;
    set_wait(Wait::kNextRequest, 0);
    sleep(time_of(state_.ready_ps + next) - sc_core::sc_time_stamp());
  }
  std::fill(stays_.begin(), stays_.end(), false);
  free_passing();
  leave_core();
  state_.first_end = sc_core::sc_time_stamp();
  state_.has_finished = true;
  deps_.completed(spec_.number);
}

// Does what a server does once, also if nobody ever asks it: it opens its context and makes the calls of the
// setup, and waits until the GPU has done them. What they have allocated stays.
void HostProcess::set_up() {
  enter_runtime();
  recorded_before_ = recorded_;
  perform_all({0, program().setup_calls});
  wait_for_all_streams();
  for (std::size_t buffer = 0; buffer < stays_.size(); ++buffer)
    stays_[buffer] = device_address_[buffer] != 0;
  leave_core();
}

void HostProcess::serve(const Request& request) {
  const std::uint64_t start_ps = now_ps();
  if (const std::uint64_t deadline_ps = spec_.requests->deadline_ps; deadline_ps != 0)
    state_.deadline_ps = state_.ready_ps + request.arrival_ps + deadline_ps;
  if (deps_.accountant != nullptr) {
    const std::uint64_t next = requests_->next_arrival();
    deps_.accountant->started(spec_.number, request.number,
                              next == kNoTime ? kNoTime : state_.ready_ps + next);
  }
  if (shaped_) shape(request);
  pass({program().setup_calls, program().calls.size()});
  state_.deadline_ps = 0;
  ++state_.completions;
  record(request, RequestOutcome::kServed, start_ps, now_ps(),
         deps_.accountant == nullptr ? nullptr : &deps_.accountant->ended(spec_.number));
  requests_->end(since_ready_ps());
}

void HostProcess::shape(const Request& request) {
  try {
    shaped_->set_request(request.values, *shaped_);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("request {}: {}", request.number, error.what()));
  }
  lay_out_buffers();
}

void HostProcess::record(const Request& request, RequestOutcome outcome, std::uint64_t start_ps,
                         std::uint64_t end_ps, const RequestAccount* account) {
  if (!deps_.recorded) return;
  RequestRecord record;
  record.process = spec_.number;
  record.number = request.number;
  record.arrival_ps = state_.ready_ps + request.arrival_ps;
  record.start_ps = start_ps;
  record.end_ps = end_ps;
  if (spec_.requests->deadline_ps != 0) record.deadline_ps = record.arrival_ps + spec_.requests->deadline_ps;
  record.outcome = outcome;
  record.is_measured = request.is_measured;
  record.values = request.values;
  record.account = account;
  deps_.recorded(record);
}

}  // namespace heddle
