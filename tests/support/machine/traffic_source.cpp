#include "tests/support/machine/traffic_source.h"

#include <utility>

namespace heddle::test {

namespace {

constexpr std::size_t kMostBytes = 4096;

}  // namespace

TrafficSource::TrafficSource(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Request> requests,
                             SmId sm, std::size_t responses)
    : sc_core::sc_module(name),
      clock_(clock),
      sleeper_(clock.add(*this)),
      requests_(std::move(requests)),
      sm_(sm),
      pool_(kOutstanding, kMostBytes),
      memory_("memory", clock, sleeper_, kOutstanding, responses) {}

void TrafficSource::tick(Cycle now) {
  for (; memory_.has_response(now); memory_.pop_response()) {
    tlm::tlm_generic_payload& payload = memory_.response();
    const RequestInfo& info = *payload.get_extension<RequestInfo>();
    done_.push_back({info.issued, now, payload.get_data_length(), info.number});
    payload.release();
  }
  if (next_ < requests_.size() && requests_[next_].not_before <= now && memory_.can_send(now)) {
    const Request& request = requests_[next_];
    tlm::tlm_generic_payload& payload = pool_.take(request.command, request.address, request.bytes);
    RequestInfo& info = *payload.get_extension<RequestInfo>();
    info.issued = now;
    info.number = next_++;
    info.kind = request.kind;
    info.lanes = request.lanes;
    info.depth = request.depth;
    info.context = request.context;
    info.account = request.account;
    info.sm = sm_;
    memory_.send(payload, now);
  }
  clock_.wake_at(sleeper_, memory_.due(now));
  if (next_ < requests_.size() && requests_[next_].not_before > now)
    clock_.wake_at(sleeper_, requests_[next_].not_before);
}

}  // namespace heddle::test
