#include "models/host/requests/request_service.h"

#include <fmt/format.h>

namespace heddle {

const RequestValues* RequestService::start(std::uint64_t now_ps) {
  const Request* const next = own_queue().start(now_ps - ready_ps());
  if (next == nullptr) return nullptr;
  request_ = next;
  start_ps_ = now_ps;
  if (spec().deadline_ps != 0) deadline_ps_ = ready_ps() + next->arrival_ps + spec().deadline_ps;
  if (accountant() != nullptr) {
    accountant()->started(process(), next->number);
    accountant()->passes(process(), next_start_ps());
  }
  return &next->values;
}

void RequestService::end(std::uint64_t now_ps) {
  deadline_ps_ = 0;
  RequestRecord served = record_of(*request_, RequestOutcome::kServed, start_ps_, now_ps);
  if (accountant() != nullptr) served.account = &accountant()->ended(process(), request_->number);
  record(served);
  own_queue().end(now_ps - ready_ps());
}

std::string RequestService::pass_name() const {
  return fmt::format("request {}", request_->number);
}

}  // namespace heddle
