#include "platforms/run/describe_requests.h"

#include <algorithm>
#include <cmath>

#include "models/host/requests/batch_service.h"
#include "platforms/run/histogram_summary.h"

namespace heddle {

namespace {

RequestsResult::Counts counts_of(const RequestCounts& counts) {
  return {counts.all(), counts.served, counts.shed, counts.cut_off};
}

// The sums of a TimeDistribution do not overflow, as that of its histogram may.
TimeSummary times_of(const TimeDistribution& times) {
  TimeSummary result = summary_of(times.histogram);
  if (!result.mean_ps) return result;
  result.mean_ps = times.mean();
  result.deviation_ps = std::sqrt(times.variance());
  return result;
}

// Returns the parts that are not zero, as means over the requests.
std::vector<PartResult> parts_of(const AccountSums::Sum& sum, const Machine& machine, std::size_t server) {
  const std::size_t processes = machine.spec().processes.size();
  const auto requests = static_cast<double>(sum.requests);
  std::vector<PartResult> parts;
  for (std::size_t i = 0; i < kRequestParts; ++i) {
    const auto part = static_cast<RequestPart>(i);
    for (std::size_t cause = 0; cause < (has_cause(part) ? processes : 1); ++cause) {
      const std::size_t place = place_of(part, cause, processes);
      if (sum.queue_ps[place] == 0 && sum.service_ps[place] == 0) continue;
      parts.push_back({name_of(part), has_cause(part) && cause != server ? machine.name_of(cause) : "",
                       sum.queue_ps[place] / requests, sum.service_ps[place] / requests});
    }
  }
  return parts;
}

std::vector<AccountResult> accounts_of(const Machine& machine, std::size_t server) {
  const AccountSums& sums = machine.request_log().totals(server).accounts;
  std::vector<AccountResult> accounts;
  if (sums.requests() == 0) return accounts;
  for (const double share : kAccountShares) {
    const AccountSums::Sum sum = sums.slowest(share);
    accounts.push_back({share, sum.requests, sum.response_ps / static_cast<double>(sum.requests),
                        parts_of(sum, machine, server)});
  }
  return accounts;
}

TokensResult tokens_of(const BatchSpec& spec, const TokenTotals& totals, std::uint64_t measured_ps) {
  TokensResult result;
  result.steps = totals.steps;
  result.prefill = totals.prefill_tokens;
  result.generated = totals.generated;
  result.evictions = totals.evictions;
  if (totals.steps > 0)
    result.mean_sequences = static_cast<double>(totals.sequences) / static_cast<double>(totals.steps);
  result.most_sequences = totals.most_sequences;
  result.most_cached = totals.most_cached;
  result.first_limit_ps = spec.first_token_ps;
  result.between_limit_ps = spec.between_tokens_ps;
  if (measured_ps > 0)
    result.per_second =
        static_cast<double>(totals.measured_tokens) / (static_cast<double>(measured_ps) * 1e-12);
  result.first = times_of(totals.first_token);
  result.between = times_of(totals.between_tokens);
  result.mean_between = times_of(totals.mean_between_tokens);
  return result;
}

RequestsResult requests_of(const RequestSpec& spec, const RequestTotals& totals, const Service* service) {
  RequestsResult result;
  result.all = counts_of(totals.all);
  result.measured = counts_of(totals.measured);
  result.in_time = totals.in_time;
  result.deadline_ps = spec.deadline_ps;
  result.response = times_of(totals.response);
  result.queueing = times_of(totals.queueing);
  result.service = times_of(totals.service);
  totals.response.histogram.visit([&](const Histogram::Bucket& bucket) {
    result.responses.most_ps.push_back(std::min(bucket.high, totals.response.histogram.max()));
    result.responses.counts.push_back(bucket.count);
  });
  if (service == nullptr || result.measured.arrived == 0) return result;
  const std::uint64_t begin_ps = service->queue().measured_from();
  std::uint64_t end_ps = std::max(totals.last_arrival_ps, totals.last_end_ps) - service->ready_ps();
  if (spec.window_ps != kNoTime || spec.duration_ps != kNoTime)
    end_ps =
        std::max(end_ps, std::min(spec.duration_ps,
                                  spec.window_ps > kNoTime - begin_ps ? kNoTime : begin_ps + spec.window_ps));
  result.measured_ps = end_ps - begin_ps;
  if (service->tokens() != nullptr)
    result.tokens = tokens_of(*spec.batch, *service->tokens(), result.measured_ps);
  if (totals.last_arrival_ps > totals.first_arrival_ps)
    result.arrival_rate = static_cast<double>(result.measured.arrived - 1) /
                          (static_cast<double>(totals.last_arrival_ps - totals.first_arrival_ps) * 1e-12);
  if (spec.arrivals.is_closed()) return result;
  if (!spec.batch && result.arrival_rate && result.service.mean_ps)
    result.offered_load = *result.arrival_rate * *result.service.mean_ps * 1e-12;
  if (const auto backlog = service->queue().backlog())
    result.backlog.assign(backlog->begin(), backlog->end());
  const bool all_in_service =
      result.tokens && !result.backlog.empty() && result.backlog.back() <= result.tokens->most_sequences;
  result.unstable = spec.queue_limit == RequestSpec::kUnlimited && !all_in_service &&
                    is_unstable(result.backlog, result.offered_load);
  return result;
}

std::vector<std::optional<double>> progress_of(const ProgressWindows& windows, bool is_server,
                                               std::uint64_t end_ps) {
  std::vector<std::optional<double>> progress;
  for (std::uint64_t begin = 0; begin < end_ps; begin += windows.length_ps()) {
    const ProgressWindows::Window& window = windows.window(progress.size());
    const auto count = static_cast<double>(window.count);
    progress.emplace_back(!is_server         ? std::optional(count)
                          : window.count > 0 ? std::optional(window.sum / count)
                                             : std::nullopt);
  }
  return progress;
}

}  // namespace

void describe_requests(const Machine& machine, RunResult& run) {
  if (!machine.has_servers()) return;
  const std::vector<ProcessResult> results = machine.results();
  for (std::size_t i = 0; i < run.applications.size(); ++i) {
    const HostProcess& process = machine.process(i);
    const bool is_server = process.spec().requests.has_value();
    ApplicationResult& application = run.applications[i];
    if (is_server)
      application.requests =
          requests_of(*process.spec().requests, machine.request_log().totals(i), process.service());
    if (is_server) application.requests->accounts = accounts_of(machine, i);
    const ProgressWindows windows = machine.progress_of(i);
    run.progress_window_ps = windows.length_ps();
    application.progress = progress_of(windows, is_server, run.simulated_ps);
    application.present_ps = results[i].present_ps;
  }
}

double requests_done(const Machine& machine, std::size_t process) {
  const HostProcess& server = machine.process(process);
  if (server.has_finished()) return 1;
  const auto now = static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
  const Service* const service = server.service();
  return service == nullptr ? 0 : service->queue().fraction_done(now - service->ready_ps());
}

}  // namespace heddle
