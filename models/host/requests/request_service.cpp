#include "models/host/requests/request_service.h"

#include <utility>

namespace heddle {

RequestService::RequestService(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps,
                               Deps deps)
    : process_(process),
      spec_(spec),
      ready_ps_(ready_ps),
      deps_(std::move(deps)),
      queue_(
          spec_,
          [this](const Request& request, RequestOutcome outcome, std::uint64_t at_ps) {
            record(request, outcome, 0, ready_ps_ + at_ps, nullptr);
          },
          [this](const Request& request) {
            if (deps_.accountant != nullptr)
              deps_.accountant->arrived(process_, request.number, ready_ps_ + request.arrival_ps);
          }) {}

const Request* RequestService::start(std::uint64_t now_ps) {
  request_ = queue_.start(now_ps - ready_ps_);
  if (request_ == nullptr) return nullptr;
  start_ps_ = now_ps;
  if (spec_.deadline_ps != 0) deadline_ps_ = ready_ps_ + request_->arrival_ps + spec_.deadline_ps;
  if (deps_.accountant != nullptr) deps_.accountant->started(process_, request_->number, next_start_ps());
  return request_;
}

std::uint64_t RequestService::next_start_ps() const {
  const std::uint64_t next = queue_.next_arrival();
  return next == kNoTime ? kNoTime : ready_ps_ + next;
}

void RequestService::end(std::uint64_t now_ps) {
  deadline_ps_ = 0;
  record(*request_, RequestOutcome::kServed, start_ps_, now_ps,
         deps_.accountant == nullptr ? nullptr : &deps_.accountant->ended(process_));
  queue_.end(now_ps - ready_ps_);
}

void RequestService::record(const Request& request, RequestOutcome outcome, std::uint64_t start_ps,
                            std::uint64_t end_ps, const RequestAccount* account) {
  if (!deps_.recorded) return;
  RequestRecord record;
  record.process = process_;
  record.number = request.number;
  record.arrival_ps = ready_ps_ + request.arrival_ps;
  record.start_ps = start_ps;
  record.end_ps = end_ps;
  if (spec_.deadline_ps != 0) record.deadline_ps = record.arrival_ps + spec_.deadline_ps;
  record.outcome = outcome;
  record.is_measured = request.is_measured;
  record.values = request.values;
  record.account = account;
  deps_.recorded(record);
}

}  // namespace heddle
