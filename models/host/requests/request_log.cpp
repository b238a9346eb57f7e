#include "models/host/requests/request_log.h"

#include <algorithm>

namespace heddle {

const char* name_of(RequestOutcome outcome) {
  switch (outcome) {
    case RequestOutcome::kServed:
      return "served";
    case RequestOutcome::kShed:
      return "shed";
    default:
      return "cut-off";
  }
}

void RequestCounts::add(RequestOutcome outcome) {
  if (outcome == RequestOutcome::kServed)
    ++served;
  else if (outcome == RequestOutcome::kShed)
    ++shed;
  else
    ++cut_off;
}

void TimeDistribution::add(std::uint64_t ps, std::uint64_t count) {
  histogram.add(ps, count);
  const auto time = static_cast<double>(ps);
  const auto times = static_cast<double>(count);
  sum += times * time;
  sum_of_squares += times * time * time;
}

double TimeDistribution::variance() const {
  const auto samples = static_cast<double>(histogram.count());
  if (samples < 2) return 0;
  return std::max(0.0, (sum_of_squares - sum * sum / samples) / (samples - 1));
}

void RequestLog::add_stats(std::size_t process, Group& group) {
  Counters& of = counters_[process];
  group.add(of.served, "served", "request", "requests whose service has ended");
  group.add(of.in_time, "in_time", "request", "of these, served by their deadline; without one, all");
  group.add(of.shed, "shed", "request", "requests that found the queue full");
  group.add(of.cut_off, "cut_off", "request", "requests that waited when the server ended");
  group.add(of.queueing_ns, "queueing_time", "ns",
            "from the arrival of served requests to their start, summed");
  group.add(of.service_ns, "service_time", "ns", "from the start of served requests to their end, summed");
  group.add_formula("mean_queueing", "ns", "from the arrival of a served request to its start",
                    {of.queueing_ns}, {of.served});
  group.add_formula("mean_service", "ns", "from the start of a served request to its end", {of.service_ns},
                    {of.served});
}

void RequestLog::count(Counters& counters, const RequestRecord& record) {
  constexpr std::uint64_t kPsPerNs = 1000;
  if (record.is_in_time()) ++counters.in_time;
  switch (record.outcome) {
    case RequestOutcome::kServed:
      ++counters.served;
      counters.queueing_ns += record.queueing_ps() / kPsPerNs;
      counters.service_ns += record.service_ps() / kPsPerNs;
      break;
    case RequestOutcome::kShed:
      ++counters.shed;
      break;
    case RequestOutcome::kCutOff:
      ++counters.cut_off;
      break;
  }
}

void RequestLog::add(const RequestRecord& record) {
  RequestTotals& totals = totals_[record.process];
  totals.all.add(record.outcome);
  if (record.is_measured) {
    if (totals.measured.all() == 0) totals.first_arrival_ps = record.arrival_ps;
    totals.first_arrival_ps = std::min(totals.first_arrival_ps, record.arrival_ps);
    totals.last_arrival_ps = std::max(totals.last_arrival_ps, record.arrival_ps);
    totals.measured.add(record.outcome);
    if (record.is_in_time()) ++totals.in_time;
    if (record.outcome == RequestOutcome::kServed) {
      totals.last_end_ps = record.end_ps;
      totals.response.add(record.response_ps());
      totals.queueing.add(record.queueing_ps());
      totals.service.add(record.service_ps());
      if (record.account != nullptr) totals.accounts.add(record.response_ps(), *record.account);
    }
  }
  count(counters_[record.process], record);
  for (const Observer& observer : observers_) observer(record);
}

void RequestLog::reset() {
  std::fill(totals_.begin(), totals_.end(), RequestTotals{});
}

}  // namespace heddle
