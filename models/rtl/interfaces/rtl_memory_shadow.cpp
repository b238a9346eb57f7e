#include "models/rtl/interfaces/rtl_memory_shadow.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/base/check.h"
#include "models/core/link/payload_number.h"

namespace heddle {

namespace {

constexpr std::size_t kBursts = 1024;
constexpr std::uint64_t kNone = ~std::uint64_t{0};  // the number of a payload that is not compared
constexpr std::uint64_t kAnswered = kNone - 1;      // or whose request the model has answered

std::string hit_text(bool hit) {
  return hit ? "a hit" : "a miss";
}

}  // namespace

RtlMemoryShadow::RtlMemoryShadow(sc_core::sc_module_name name, RtlBlock& block, const MemoryPlace& place,
                                 std::unique_ptr<MemoryBlock> model, const std::string& path)
    : sc_core::sc_module(name),
      place_(place),
      sleeper_(place.clock.add(*this)),
      model_(std::move(model)),
      slice_(dynamic_cast<L2Block*>(model_.get())),
      latency_(block.latency()),
      rtl_(block, path, place.burst_bytes,
           [this](const std::string& output, const std::string& expected, const std::string& got) {
             shadow_.differ(place_.clock.now(), output, expected, got);
           }),
      shadow_(block, rtl_.port()),
      observer_(*this),
      entries_(kMostRequests),
      arriving_(kMostRequests),
      deadlines_(kMostRequests),
      fills_(kBursts) {
  for (std::uint32_t i = 0; i < place.ports; ++i) {
    taps_.push_back(std::make_unique<MemoryTap>("port" + std::to_string(i), observer_));
    taps_[i]->initiator.bind(model_->port(i));
  }
  reset();
}

void RtlMemoryShadow::reset() {
  model_->reset();
  rtl_.reset();
  shadow_.reset();
  free_.clear();
  for (std::uint32_t i = kMostRequests; i-- > 0;) free_.push_back(i);
  arriving_.clear();
  deadlines_.reset();
  fills_.clear();
  offering_ = is_behind_ = false;
}

void RtlMemoryShadow::begin(Payload& payload, const sc_core::sc_time& time) {
  std::uint64_t& number = PayloadNumber<RtlMemoryShadow>::of(payload);
  number = kNone;
  if (is_behind_) return;
  const Cycle now = place_.clock.now();
  if (free_.empty()) {
    is_behind_ = true;
    shadow_.differ(now, "answers", "there",
                   fmt::format("missing for {} requests; no more are compared", kMostRequests));
    return;
  }
  ++rtl_.block().requests;
  number = free_.back();
  free_.pop_back();
  Entry& entry = entries_[number];
  entry = Entry();
  entry.request = rtl_request_of(payload, rtl_.spec(), place_);
  entry.request.number = number;
  entry.from = arrival_at(place_.clock, time) + (place_.latency - 1) + rtl_.spec().before;
  arriving_.push(static_cast<std::uint32_t>(number));
  deadlines_.add(arriving_.back(), entry.from + latency_);
  place_.clock.wake_at(sleeper_, entry.from);
}

void RtlMemoryShadow::model_answers(Payload& payload) {
  const std::uint64_t number = PayloadNumber<RtlMemoryShadow>::of(payload);
  if (number == kNone) return;
  HEDDLE_CHECK(number != kAnswered, basename(), place_.clock.now(), "a second answer to a request for {:#x}",
               payload.get_address());
  PayloadNumber<RtlMemoryShadow>::of(payload) = kAnswered;
  Entry& entry = entries_[number];
  entry.model_at = place_.clock.now();
  const auto* info = payload.get_extension<RequestInfo>();
  entry.model_hit = info != nullptr && !info->missed_line;
  finish(static_cast<std::uint32_t>(number));
}

void RtlMemoryShadow::tick(Cycle now) {
  serve_memory(now);
  if (!arriving_.empty() && !offering_ && entries_[arriving_.front()].from <= now &&
      rtl_.requests().can_give()) {
    rtl_.requests().give(entries_[arriving_.front()].request);
    offering_ = true;
  }
  if (rtl_.is_awake(now)) {
    rtl_.tick(now, true, !fills_.full());
    if (offering_ && !rtl_.requests().offering()) {
      arriving_.pop();
      offering_ = false;
    }
    collect_answers(now);
  }
  tell_late(now);
  Cycle next = Cycle::never();
  if (rtl_.is_awake(now + 1))
    next = now + 1;
  else if (!arriving_.empty())
    next = std::max(entries_[arriving_.front()].from, now + 1);
  if (next != Cycle::never()) place_.clock.wake_at(sleeper_, next);
}

void RtlMemoryShadow::serve_memory(Cycle now) {
  while (!fills_.empty() && fills_.front().due <= now) {
    rtl_.memory()->answered(fills_.front().request);
    fills_.pop();
  }
}

void RtlMemoryShadow::collect_answers(Cycle now) {
  Ring<RtlAnswer>& answers = rtl_.requests().answers();
  for (; !answers.empty(); answers.pop()) {
    const auto number = static_cast<std::uint32_t>(answers.front().number);
    Entry& entry = entries_[number];
    entry.rtl_at = now;
    entry.rtl_hit = answers.front().hit;
    if (!entry.is_told) deadlines_.remove(number);
    if (answers.front().failed)
      shadow_.differ(now, "the answer to the " + name_of(entry), "no error", "an error");
    finish(number);
  }
  if (rtl_.memory() == nullptr) return;
  Ring<RtlMemoryBurst>& bursts = rtl_.memory()->bursts();
  for (; !bursts.empty() && !fills_.full(); bursts.pop())
    fills_.push({now + rtl_.spec().memory_latency, bursts.front().request});
}

void RtlMemoryShadow::tell_late(Cycle now) {
  while (const auto late = deadlines_.late(now)) {
    Entry& entry = entries_[*late];
    deadlines_.remove(*late);
    entry.is_told = true;
    shadow_.note({now, 1, 0, entry.request.address});
    shadow_.differ(now, "the answer to the " + name_of(entry),
                   entry.model_at == Cycle::never()
                       ? "not there either"
                       : fmt::format("there since cycle {}", entry.model_at.value),
                   fmt::format("not there {} cycles after the request", latency_));
  }
}

// Compares a request when both have answered it. The cycle is that of the later answer, whichever block is
// ticked first.
void RtlMemoryShadow::finish(std::uint32_t number) {
  Entry& entry = entries_[number];
  if (entry.model_at == Cycle::never() || entry.rtl_at == Cycle::never()) return;
  free_.push_back(number);
  ++rtl_.block().choices;
  const Cycle at = std::max(entry.model_at, entry.rtl_at);
  const bool rtl_hit = entry.rtl_hit.value_or(entry.model_hit);
  shadow_.note({at, std::uint64_t{entry.model_hit}, std::uint64_t{rtl_hit}, entry.request.address});
  if (rtl_hit != entry.model_hit)
    shadow_.differ(at, "the answer to the " + name_of(entry), hit_text(entry.model_hit), hit_text(rtl_hit));
}

std::string RtlMemoryShadow::name_of(const Entry& entry) const {
  return fmt::format("{} of {} B at 'h{:x}, on the pins from cycle {} on",
                     entry.request.atomic  ? "atomic"
                     : entry.request.write ? "write"
                                           : "read",
                     entry.request.bytes, entry.request.address, entry.from.value);
}

}  // namespace heddle
