#include "models/host/requests/service.h"

#include <utility>

#include "models/host/requests/batch_service.h"
#include "models/host/requests/request_service.h"

namespace heddle {

Service::Service(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps, Deps deps)
    : process_(process),
      spec_(spec),
      ready_ps_(ready_ps),
      deps_(std::move(deps)),
      queue_(
          spec_,
          [this](const Request& request, RequestOutcome outcome, std::uint64_t at_ps) {
            record(record_of(request, outcome, 0, ready_ps_ + at_ps));
          },
          [this](const Request& request) {
            if (deps_.accountant != nullptr)
              deps_.accountant->arrived(process_, request.number, ready_ps_ + request.arrival_ps);
          },
          {deps_.takes, ready_ps}) {}

std::uint64_t Service::next_start_ps() const {
  const std::uint64_t next = queue_.next_arrival();
  return next == kNoTime ? kNoTime : ready_ps_ + next;
}

RequestRecord Service::record_of(const Request& request, RequestOutcome outcome, std::uint64_t start_ps,
                                 std::uint64_t end_ps) const {
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
  return record;
}

void Service::record(const RequestRecord& record) {
  if (record.outcome == RequestOutcome::kServed) ++served_;
  if (deps_.recorded) deps_.recorded(record);
}

std::unique_ptr<Service> make_service(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps,
                                      Service::Deps deps) {
  if (spec.batch) return std::make_unique<BatchService>(process, spec, ready_ps, std::move(deps));
  return std::make_unique<RequestService>(process, spec, ready_ps, std::move(deps));
}

}  // namespace heddle
