#include "models/host/requests/batch_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {

BatchService::BatchService(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps, Deps deps)
    : Service(process, spec, ready_ps, std::move(deps)), batch_(*spec.batch) {}

const RequestValues* BatchService::start(std::uint64_t now_ps) {
  batch_.open();
  const auto takes = [this](const Request& request) { return batch_.can_take(request); };
  while (const Request* const request = own_queue().start(now_ps - ready_ps(), takes)) {
    Request taken = *request;
    if (taken.first_token_ps == 0)
      taken.came_ps = taken.first_token_ps = ready_ps() + taken.arrival_ps;
    else if (taken.is_measured)
      totals_.first_token.add(taken.first_token_ps - taken.came_ps);
    batch_.take(taken, now_ps);
    if (accountant() != nullptr) accountant()->started(process(), request->number);
  }
  const BatchStep& step = batch_.close();
  if (step.sequences() == 0) return nullptr;
  if (accountant() != nullptr) accountant()->passes(process(), next_start_ps());
  count(step);
  values_ = step.values();
  return &values_;
}

void BatchService::count(const BatchStep& step) {
  ++totals_.steps;
  totals_.prefill_tokens += step.prefill_tokens;
  totals_.generated += step.outputs;
  totals_.evictions = batch_.evictions();
  totals_.sequences += step.sequences();
  totals_.most_sequences = std::max(totals_.most_sequences, step.sequences());
  totals_.most_cached = std::max(totals_.most_cached, batch_.used_pages() * spec().batch->page_tokens);
}

BatchView BatchService::batch_view() const {
  const BatchSpec& batch = *spec().batch;
  BatchView view;
  view.is_server = true;
  view.phase = batch.phase;
  view.first_token_limit_ps = batch.first_token_ps;
  view.between_tokens_limit_ps = batch.between_tokens_ps;
  view.prefill_tokens = batch_.step().prefill_tokens;
  view.decode_sequences = batch_.step().decode_sequences;
  view.decode_context = batch_.step().decode_context;
  view.waiting_requests = queue().waiting();
  view.waiting_tokens = static_cast<std::uint64_t>(queue().waiting_of(batch.prompt));
  view.cache_used = batch_.cache_used();
  // Requests begin in the order of arrival, so that one in service is older than those that wait.
  std::uint64_t arrival_ps = batch_.oldest().unread_arrival_ps;
  if (arrival_ps == kNoTime && queue().waiting() > 0) arrival_ps = queue().oldest_waiting();
  view.oldest_ps = arrival_ps == kNoTime ? 0 : ready_ps() + arrival_ps;
  return view;
}

std::uint64_t BatchService::deadline_ps() const {
  const BatchSpec& batch = *spec().batch;
  const Batch::Oldest oldest = batch_.oldest();
  std::uint64_t deadline_ps = kNoTime;
  if (batch.first_token_ps != 0 && oldest.unread_arrival_ps != kNoTime)
    deadline_ps = ready_ps() + oldest.unread_arrival_ps + batch.first_token_ps;
  if (batch.between_tokens_ps != 0 && oldest.token_ps != kNoTime)
    deadline_ps = std::min(deadline_ps, oldest.token_ps + batch.between_tokens_ps);
  return deadline_ps == kNoTime ? 0 : deadline_ps;
}

void BatchService::end(std::uint64_t now_ps) {
  batch_.end(
      now_ps, [this](const Batch::Sequence& sequence, std::uint64_t gap_ps) { generated(sequence, gap_ps); },
      [this, now_ps](const Batch::Sequence& sequence) { ended(sequence, now_ps); });
}

void BatchService::generated(const Batch::Sequence& sequence, std::uint64_t gap_ps) {
  if (!sequence.request.is_measured) return;
  ++totals_.measured_tokens;
  if (sequence.generated == 1)
    totals_.first_token.add(sequence.first_ps - ready_ps() - sequence.request.arrival_ps);
  else
    totals_.between_tokens.add(gap_ps);
}

void BatchService::ended(const Batch::Sequence& sequence, std::uint64_t now_ps) {
  RequestRecord served = record_of(sequence.request, RequestOutcome::kServed, sequence.start_ps, now_ps);
  const BatchSpec& batch = *spec().batch;
  const bool had_first = batch.phase == BatchSpec::Phase::kDecode;
  const std::uint64_t came_ps = had_first ? sequence.request.came_ps : served.arrival_ps;
  const std::uint64_t first_ps = sequence.first_ps - came_ps;
  const std::uint64_t gaps = sequence.generated - 1;
  const std::uint64_t between_ps = gaps == 0 ? 0 : (sequence.last_ps - sequence.first_ps) / gaps;
  if (sequence.request.is_measured && gaps > 0) totals_.mean_between_tokens.add(between_ps);
  TokenRecord& tokens = served.tokens.emplace();
  tokens.tokens = sequence.generated;
  tokens.first_ps = sequence.first_ps;
  tokens.longest_gap_ps = sequence.longest_gap_ps;
  tokens.evictions = sequence.evictions;
  tokens.keeps_limits = (batch.first_token_ps == 0 || first_ps <= batch.first_token_ps) &&
                        (batch.between_tokens_ps == 0 || between_ps <= batch.between_tokens_ps);
  if (accountant() != nullptr) served.account = &accountant()->ended(process(), served.number);
  record(served);
  const double output = served.values[batch.output];
  if (gives() != nullptr && output > 1) gives()->give(served.values[batch.prompt], output, came_ps, now_ps);
  own_queue().end(now_ps - ready_ps());
}

std::string BatchService::pass_name() const {
  return fmt::format("step {}", totals_.steps);
}

}  // namespace heddle
