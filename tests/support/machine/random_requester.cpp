#include "tests/support/machine/random_requester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace heddle::test {

namespace {

constexpr std::size_t kInFlight = 40;
constexpr std::size_t kWaiting = 2;  // responses that the port holds at once
constexpr std::uint32_t kLine = 128;

}  // namespace

RandomRequester::RandomRequester(sc_core::sc_module_name name, ClockDomain& clock, SmId sm,
                                 std::uint64_t requests, std::uint64_t seed)
    : sc_core::sc_module(name),
      clock_(clock),
      sleeper_(clock.add(*this)),
      sm_(sm),
      requests_(requests),
      random_(seed),
      pool_(kInFlight, 2 * kLine),
      memory_("memory", clock, sleeper_, kInFlight, kWaiting) {
  in_flight_.reserve(kInFlight);
}

void RandomRequester::tick(Cycle now) {
  answer(now);
  send(now);
  const bool sends = sent_ < requests_ && memory_.outstanding() < kInFlight && !pool_.empty();
  memory_.take_from(std::max(answer_from_, now + 1));
  memory_.send_from(sends ? std::max(send_from_, now + 1) : Cycle::never());
  if (const Cycle next = memory_.due(now); next != Cycle::never()) clock_.wake_at(sleeper_, next);
}

// Takes at most one response in a cycle, and at random no response for some cycles.
void RandomRequester::answer(Cycle now) {
  if (answer_from_ > now || !memory_.has_response(now)) return;
  tlm::tlm_generic_payload& payload = memory_.response();
  const RequestInfo& info = *payload.get_extension<RequestInfo>();
  EXPECT_EQ(info.sm, sm_) << name();
  EXPECT_TRUE(payload.is_response_ok()) << name();
  const auto sent = std::find_if(in_flight_.begin(), in_flight_.end(),
                                 [&](const Sent& s) { return s.number == info.number; });
  if (sent == in_flight_.end()) {
    ADD_FAILURE() << name() << ": request " << info.number << " was answered again";
    return;
  }
  for (auto before = in_flight_.begin(); before != sent; ++before) {
    const bool same_bytes =
        before->address == sent->address && before->bytes == sent->bytes && before->context == sent->context;
    EXPECT_TRUE(!same_bytes || (sent->write && !before->write))
        << name() << ": request " << sent->number << " overtook " << before->number;
  }
  in_flight_.erase(sent);
  digest_ = digest_ * 1099511628211u + info.number * 31 + now.value;
  ++answered_;
  answer_from_ = now + (random_.below(50) == 0 ? 1 + random_.below(60) : 1);
  memory_.pop_response();
  payload.release();
}

void RandomRequester::send(Cycle now) {
  if (sent_ == requests_ || send_from_ > now || !memory_.can_send(now) || pool_.empty()) return;
  Sent sent;
  RequestKind kind = RequestKind::kLoad;
  choose(sent, kind);
  tlm::tlm_generic_payload& payload =
      pool_.take(sent.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, sent.address, sent.bytes);
  RequestInfo& info = *payload.get_extension<RequestInfo>();
  info.context = sent.context;
  const auto launch = static_cast<std::uint32_t>(random_.below(5));
  info.account = launch < 4 ? AccountId{launch} : AccountId::none();
  info.sm = sm_;
  info.kind = kind;
  info.lanes = static_cast<std::uint8_t>(1 + random_.below(32));
  info.number = sent.number = sent_++;
  info.issued = now;
  if (sent.write && random_.below(3) == 0) leave_bytes_out(payload);
  in_flight_.push_back(sent);
  send_from_ = now + (random_.below(100) == 0 ? 1 + random_.below(300) : 1 + random_.below(3));
  memory_.send_from(Cycle::never());  // until the end of this tick says when
  memory_.send(payload, now);
}

// Chooses the next request. Half of the requests go to a few hot lines, a quarter to a set that fits in the
// cache, and a quarter to addresses anywhere.
void RandomRequester::choose(Sent& sent, RequestKind& kind) {
  static constexpr std::array<std::uint64_t, 4> kLines{24, 24, 3000, 400'000};
  const auto first = static_cast<std::uint32_t>(random_.below(4));
  sent.bytes = 32 * (1 + static_cast<std::uint32_t>(random_.below(4 - first)));
  sent.address = random_.below(kLines[random_.below(4)]) * kLine + first * 32;
  sent.context = ContextId{static_cast<std::uint32_t>(random_.below(2))};
  const std::uint64_t draw = random_.below(10);
  sent.write = draw >= 6 && draw < 9;
  kind = sent.write ? RequestKind::kStore : draw == 9 ? RequestKind::kAtomic : RequestKind::kLoad;
}

void RandomRequester::leave_bytes_out(tlm::tlm_generic_payload& payload) {
  unsigned char* enables = payload.get_data_ptr() + kLine;
  const std::uint64_t draw = random_.next() | 1;
  for (std::uint32_t byte = 0; byte < payload.get_data_length(); ++byte)
    enables[byte] = draw >> (byte / 4 % 32) & 1 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(payload.get_data_length());
}

}  // namespace heddle::test
