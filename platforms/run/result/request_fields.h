#pragma once
// The JSON fields of a RequestsResult.

#include "platforms/run/result/json_fields.h"
#include "platforms/run/result/request_result.h"

namespace heddle {

template <class Io>
void fields(Io& io, io_ref<Io, PercentileResult> percentile) {
  io.field("q", percentile.q);
  io.field("value_ps", percentile.value_ps);
  io.field("low_ps", percentile.low_ps);
  io.field("high_ps", percentile.high_ps);
  io.field("needs", percentile.needs);
}

template <class Io>
void fields(Io& io, io_ref<Io, TimeSummary> times) {
  io.field("mean_ps", times.mean_ps);
  io.field("deviation_ps", times.deviation_ps);
  io.field("max_ps", times.max_ps);
  io.field("percentiles", times.percentiles);
}

template <class Io>
void fields(Io& io, io_ref<Io, ResponseBuckets> buckets) {
  io.field("most_ps", buckets.most_ps);
  io.field("counts", buckets.counts);
}

template <class Io>
void fields(Io& io, io_ref<Io, PartResult> part) {
  io.field("part", part.part);
  io.field("application", part.application);
  io.field("queue_ps", part.queue_ps);
  io.field("service_ps", part.service_ps);
}

template <class Io>
void fields(Io& io, io_ref<Io, AccountResult> account) {
  io.field("slowest", account.slowest);
  io.field("requests", account.requests);
  io.field("response_ps", account.response_ps);
  io.field("parts", account.parts);
}

template <class Io>
void fields(Io& io, io_ref<Io, RequestsResult::Counts> counts) {
  io.field("arrived", counts.arrived);
  io.field("served", counts.served);
  io.field("shed", counts.shed);
  io.field("unfinished", counts.unfinished);
}

template <class Io>
void fields(Io& io, io_ref<Io, TokensResult> tokens) {
  io.field("steps", tokens.steps);
  io.field("prefill", tokens.prefill);
  io.field("generated", tokens.generated);
  io.field("evictions", tokens.evictions);
  io.field("mean_sequences", tokens.mean_sequences);
  io.field("most_sequences", tokens.most_sequences);
  io.field("most_cached", tokens.most_cached);
  io.field("first_limit_ps", tokens.first_limit_ps);
  io.field("between_limit_ps", tokens.between_limit_ps);
  io.field("per_second", tokens.per_second);
  io.field("first", tokens.first);
  io.field("between", tokens.between);
  io.field("mean_between", tokens.mean_between);
}

// All but the distribution, which a summary leaves out.
template <class Io>
void request_fields(Io& io, io_ref<Io, RequestsResult> requests) {
  io.field("all", requests.all);
  io.field("measured", requests.measured);
  io.field("deadline_ps", requests.deadline_ps);
  io.field("in_time", requests.in_time);
  io.field("measured_ps", requests.measured_ps);
  io.field("arrival_rate", requests.arrival_rate);
  io.field("offered_load", requests.offered_load);
  io.field("backlog", requests.backlog);
  io.field("unstable", requests.unstable);
  io.field("response", requests.response);
  io.field("queueing", requests.queueing);
  io.field("service", requests.service);
  io.optional("tokens", requests.tokens);
  io.list("accounts", requests.accounts);
}

template <class Io>
void fields(Io& io, io_ref<Io, RequestsResult> requests) {
  request_fields(io, requests);
  io.field("responses", requests.responses);
}

}  // namespace heddle
