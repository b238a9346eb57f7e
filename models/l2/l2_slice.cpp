#include "models/l2/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {

namespace {

constexpr std::uint32_t kEnables =
    L2Spec::kMostBurstBytes;  // space in a payload for the byte enables, after its data

std::uint32_t sectors_of(const tlm::tlm_generic_payload& payload) {
  return payload.get_data_length() / L2Spec::kSectorBytes;
}

}  // namespace

L2Slice::L2Slice(sc_core::sc_module_name name, const L2Spec& spec, const Deps& deps)
    : sc_core::sc_module(name),
      spec_(spec),
      sleeper_(deps.l2.add(*this)),
      local_(deps.local),
      payloads_(spec.mshrs + spec.write_backs),
      replies_limit_(spec.hit_latency + spec.reply_queue),
      pool_(payloads_, L2Spec::kMostBurstBytes + kEnables),
      requests_("crossbar", deps.l2, sleeper_, spec.request_latency + spec.request_queue,
                spec.request_latency),
      dram_("dram", deps.l2, sleeper_, payloads_, spec.return_queue),
      stats_(basename()),
      cache_(spec, stats_),
      pending_(std::size_t{spec.mshrs} * spec.merges),
      free_pending_(spec.mshrs * spec.merges),
      hits_(replies_limit_),
      fills_(replies_limit_ + spec.merges),
      to_dram_(spec.dram_queue) {
  requests_.divide();
  dram_.divide();
  HEDDLE_CHECK(spec.dram_queue >= spec.most_transfers() && spec.mshrs >= L2Cache::kSectors &&
                   spec.write_backs >= 2 && spec.reply_queue >= 1,
               this->name(), Cycle{}, "{} MSHRs, {} write-backs, queues of {} to DRAM and {} replies",
               spec.mshrs, spec.write_backs, spec.dram_queue, spec.reply_queue);
  Group& stalls = stats_.child("stall_cycles");
  const std::array<const char*, L2Cache::kStalls> names{"",      "reserved",   "mshr",
                                                        "merge", "dram_queue", "reply"};
  for (std::size_t i = 1; i < names.size(); ++i)
    stalls.add(stall_cycles_[i], names[i], "cycle",
               fmt::format("cycles the oldest request waited: {}", name_of(static_cast<L2Cache::Stall>(i))));
  stats_.add_level("pending_requests", "request", "requests that wait for fills",
                   [this] { return free_pending_.in_use(); });
  stats_.add_level("to_dram", "request", "requests in the queue to DRAM",
                   [this] { return static_cast<double>(to_dram_.size()); });
  stats_.add(replies_, "replies", "request", "requests answered");
  stats_.add(reply_blocked_cycles_, "reply_blocked_cycles", "cycle",
             "sum over replies of the time they were ready and could not leave");
}

void L2Slice::reset() {
  requests_.reset();
  dram_.reset();
  pool_.reset();
  cache_.reset();
  free_pending_.reset();
  hits_.clear();
  fills_.clear();
  to_dram_.clear();
  in_flight_.reset();
  port_free_ = reply_free_ = stalled_since_ = Cycle{0};
  stall_ = L2Cache::Stall::kNone;
  stats_.reset();
}

Cycle L2Slice::work(Cycle now) {
  if (dram_.has_response(now)) collect_fills(now);
  if (reply_free_ <= now) reply(now);
  if (port_free_ <= now && requests_.has_request(now)) accept(now);
  if (!to_dram_.empty()) send(now);
  tell_ports(now);
  return requests_.has_calls() || dram_.has_calls() ? kFinishes : next_wake(now);
}

Cycle L2Slice::finish(Cycle now) {
  requests_.settle();
  dram_.settle(now);
  return next_wake(now);
}

// A stalled request goes on after a response, an END_REQ or an END_RESP, or after this slice has sent a
// request or a reply, and each of these events wakes the slice.
void L2Slice::tell_ports(Cycle now) {
  const bool stalls = stall_ != L2Cache::Stall::kNone;
  requests_.take_from(stalls ? Cycle::never() : std::max(port_free_, now + 1));
  requests_.send_from(std::max(reply_due(), now + 1));
  // A reply may have made room in this cycle after the fills were collected.
  dram_.take_from(replies_full() ? Cycle::never() : now + 1);
  dram_.send_from(next_request(now));
}

// A request of an SM that is stalled may find room when DRAM has taken a request of the slice, so that the
// slice tries it again as soon as END_REQ has come. A request for DRAM waits while too many responses do.
Cycle L2Slice::next_request(Cycle now) const {
  const bool awaits_end = dram_.request_free() > now;
  if (stall_ != L2Cache::Stall::kNone && awaits_end) return now;
  if (to_dram_.empty() || (!awaits_end && dram_.waiting() > spec_.return_queue)) return Cycle::never();
  return std::max(to_dram_.front().due, now + 1);
}

void L2Slice::collect_fills(Cycle now) {
  while (dram_.has_response(now) && !replies_full()) {
    Payload& payload = dram_.response();
    HEDDLE_CHECK(payload.is_response_ok(), name(), now, "DRAM answered {} at {:#x}",
                 payload.get_response_string(), payload.get_address());
    --in_flight_[payload.get_extension<RequestInfo>()->account];
    if (payload.is_read()) filled(payload, now);
    if (trace_ != nullptr) tell(TraceStage::kL2Fill, payload, dram_.response_due(), now);
    dram_.pop_response();
    payload.release();
  }
}

void L2Slice::filled(const Payload& fill, Cycle now) {
  const auto entry = static_cast<MshrFile::Entry>(fill.get_extension<RequestInfo>()->number);
  cache_.filled(entry);
  for (std::uint32_t i = 0; i < cache_.mshrs().waiting(entry); ++i) {
    const auto number = static_cast<std::uint32_t>(cache_.mshrs().waiter(entry, i));
    Pending& pending = pending_[number];
    if (--pending.fills > 0) continue;
    Cycle due = std::max(now, pending.ready);
    if (!fills_.empty()) due = std::max(due, fills_.back().due);
    fills_.push({due, pending.payload});
    free_pending_.give_back(number);
  }
  cache_.release_fill(entry);
}

// At most one reply leaves in a cycle, whether or not the crossbar takes it in that cycle.
void L2Slice::reply(Cycle now) {
  if (requests_.respond_free() > now) return;
  const bool hit = !hits_.empty() && (fills_.empty() || hits_.front().due < fills_.front().due);
  Ring<Reply>& from = hit ? hits_ : fills_;
  if (from.empty() || from.front().due > now) return;
  Payload& payload = *from.front().payload;
  reply_blocked_cycles_ += now - from.front().due;
  if (trace_ != nullptr) tell(TraceStage::kL2Reply, payload, from.front().due, now);
  from.pop();
  reply_free_ = now + (payload.is_read() ? sectors_of(payload) : 1);
  ++replies_;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  requests_.respond(payload, now);
}

void L2Slice::accept(Cycle now) {
  if (replies_full()) return stall(L2Cache::Stall::kReply, now);
  Payload& payload = requests_.request();
  RequestInfo* extension = payload.get_extension<RequestInfo>();
  const RequestInfo& info = extension != nullptr ? *extension : no_info_;
  const L2Cache::Stall reason = cache_.access(access_of(payload, info, now), room_to_dram(), outcome_);
  stall(reason, now);
  if (reason != L2Cache::Stall::kNone) return;
  if (info.trace != 0) tell(TraceStage::kL2Access, payload, requests_.request_due(), now);
  requests_.take_request();
  if (extension != nullptr) extension->missed_line = outcome_.missed_line;
  perform(payload, info, now);
}

void L2Slice::perform(Payload& payload, const RequestInfo& info, Cycle now) {
  std::uint64_t cycles = std::max<std::uint64_t>(1, outcome_.sectors);
  if (info.kind == RequestKind::kAtomic) {
    const std::uint64_t steps = spec_.atomic_sectors ? info.depth : info.lanes;
    cycles = std::max(cycles, steps * spec_.atomic_cycles);
  }
  port_free_ = now + cycles;
  const Cycle ready = now + (cycles - 1 + spec_.hit_latency);
  if (outcome_.fills > 0) {
    pending_[free_pending_.take()] = {&payload, outcome_.fills, ready};
  } else {
    hits_.push({ready, &payload});
  }
  queue_transfers(info, now);
}

// A transfer leaves in the cycle of the sector access that needs it.
void L2Slice::queue_transfers(const RequestInfo& cause, Cycle now) {
  for (std::uint32_t i = 0; i < outcome_.transfers; ++i) {
    const L2Cache::Transfer& transfer = outcome_.transfer[i];
    Payload& payload = pool_.take(transfer.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                  transfer.address, transfer.bytes);
    RequestInfo& info = *payload.get_extension<RequestInfo>();
    info.context = cause.context;
    info.account = cause.account;
    ++in_flight_[cause.account];
    info.sm = cause.sm;
    if (transfer.is_swap)
      info.kind = transfer.write ? RequestKind::kSwapStore : RequestKind::kSwapLoad;
    else
      info.kind = transfer.write ? RequestKind::kWriteBack : RequestKind::kFill;
    info.number = transfer.mshr;
    info.trace = cause.trace;
    info.issued = now;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - transfer.bytes);
    if (transfer.write && transfer.written != all) {
      unsigned char* enables = payload.get_data_ptr() + L2Spec::kMostBurstBytes;
      for (std::uint32_t byte = 0; byte < transfer.bytes; ++byte)
        enables[byte] = transfer.written >> byte & 1 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
      payload.set_byte_enable_ptr(enables);
      payload.set_byte_enable_length(transfer.bytes);
    }
    to_dram_.push({now + transfer.after, &payload});
  }
}

void L2Slice::send(Cycle now) {
  if (to_dram_.front().due > now || !dram_.can_send(now) || dram_.waiting() > spec_.return_queue) return;
  Payload& payload = *to_dram_.front().payload;
  if (trace_ != nullptr) tell(TraceStage::kL2ToDram, payload, to_dram_.front().due, now);
  to_dram_.pop();
  dram_.send(payload, now);
}

std::uint32_t L2Slice::room_to_dram() const {
  const std::size_t payloads = payloads_ - pool_.in_use();
  return static_cast<std::uint32_t>(std::min(to_dram_.capacity() - to_dram_.size(), payloads));
}

L2Cache::Access L2Slice::access_of(const Payload& payload, const RequestInfo& info, Cycle now) const {
  L2Cache::Access access;
  access.address = payload.get_address();
  access.bytes = payload.get_data_length();
  HEDDLE_CHECK(access.bytes > 0 && access.bytes % L2Spec::kSectorBytes == 0 &&
                   access.address % L2Spec::kSectorBytes == 0 &&
                   access.address % L2Spec::kLineBytes + access.bytes <= L2Spec::kLineBytes,
               name(), now, "{} bytes at {:#x} are not whole sectors of a line", access.bytes,
               access.address);
  access.index = local_ ? local_(access.address) : access.address;
  access.account = info.account;
  access.is_swap = is_swap(info.kind);
  if (!free_pending_.empty()) access.request = free_pending_.next();
  if (payload.is_read()) {
    if (info.kind == RequestKind::kAtomic) access.kind = L2Cache::Kind::kAtomic;
    return access;
  }
  access.kind = L2Cache::Kind::kWrite;
  const auto first = static_cast<std::uint32_t>(access.address % L2Spec::kLineBytes);
  const unsigned char* enables = payload.get_byte_enable_ptr();
  for (std::uint32_t byte = 0; byte < access.bytes; ++byte) {
    if (enables == nullptr) {
      access.written[(first + byte) / L2Spec::kSectorBytes] = L2Cache::kWholeSector;
      byte += L2Spec::kSectorBytes - 1;
    } else if (enables[byte % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED) {
      access.written[(first + byte) / L2Spec::kSectorBytes] |= 1u << (byte % L2Spec::kSectorBytes);
    }
  }
  return access;
}

void L2Slice::tell(TraceStage stage, const Payload& payload, Cycle since, Cycle now) {
  const RequestInfo* info = payload.get_extension<RequestInfo>();
  if (trace_ == nullptr || info == nullptr || info->trace == 0) return;
  TraceEvent event;
  event.stage = stage;
  event.at = now;
  event.since = since;
  event.request = info->trace;
  event.address = payload.get_address();
  event.bytes = payload.get_data_length();
  if (stage == TraceStage::kL2Access)
    event.detail = outcome_.fills == 0    ? std::string(payload.is_write() ? "written" : "hit")
                   : outcome_.missed_line ? fmt::format("miss waits for {} fills", outcome_.fills)
                                          : fmt::format("waits for {} fills", outcome_.fills);
  else if (stage == TraceStage::kL2ToDram)
    event.detail = payload.is_write() ? "write-back" : "fill";
  trace_->add(std::move(event));
}

void L2Slice::stall(L2Cache::Stall reason, Cycle now) {
  account_stall(now);
  stall_ = reason;
  stalled_since_ = now;
}

void L2Slice::account_stall(Cycle now) {
  if (stall_ == L2Cache::Stall::kNone) return;
  stall_cycles_[static_cast<std::size_t>(stall_)] += now - stalled_since_;
  stalled_since_ = now;
}

Cycle L2Slice::reply_due() const {
  Cycle ready = fills_.empty() ? Cycle::never() : fills_.front().due;
  if (!hits_.empty()) ready = std::min(ready, hits_.front().due);
  return std::max(ready, reply_free_);
}

bool L2Slice::idle() const {
  return requests_.waiting() == 0 && pool_.in_use() == 0 && hits_.empty() && fills_.empty() &&
         free_pending_.in_use() == 0 && requests_.respond_free() != Cycle::never();
}

std::string L2Slice::waiting_for() const {
  std::string text = fmt::format("{} requests", requests_.waiting());
  if (stall_ != L2Cache::Stall::kNone) text += fmt::format(", the oldest stalled: {}", name_of(stall_));
  text +=
      fmt::format("; {} fills in flight; {} replies", cache_.mshrs().in_use(), hits_.size() + fills_.size());
  if (requests_.respond_free() == Cycle::never()) text += ", one without END_RESP";
  text += fmt::format("; {} transfers for DRAM", to_dram_.size());
  if (dram_.request_free() == Cycle::never()) text += ", which gives no END_REQ";
  return text;
}

}  // namespace heddle
