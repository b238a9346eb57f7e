#include "models/l2/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {

namespace {

std::uint32_t sectors_of(const MemoryRequest& request) {
  return request.bytes / L2Spec::kSectorBytes;
}

}  // namespace

L2Slice::L2Slice(sc_core::sc_module_name name, const L2Spec& spec, const Deps& deps)
    : sc_core::sc_module(name),
      spec_(spec),
      sleeper_(deps.l2.add(*this)),
      local_(deps.local),
      transfers_(spec.mshrs + spec.write_backs),
      pool_(transfers_),
      requests_("crossbar", deps.l2, sleeper_, spec.request_latency + spec.request_queue,
                spec.request_latency),
      dram_("dram", deps.l2, sleeper_, transfers_, spec.return_queue),
      stats_(basename()),
      cache_(spec, stats_),
      pending_(std::size_t{spec.mshrs} * spec.merges),
      free_pending_(spec.mshrs * spec.merges),
      crossing_(spec_, deps.half, cache_.tags().lines()),
      waiting_(spec.hit_latency + spec.far_latency + spec.reply_queue, spec.merges, spec.far_latency > 0),
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
  crossing_.reset();
  waiting_.reset();
  to_dram_.clear();
  in_flight_.reset();
  port_free_ = reply_free_ = stalled_since_ = Cycle{0};
  stall_ = L2Cache::Stall::kNone;
  stats_.reset();
}

Cycle L2Slice::work(Cycle now) {
  if (dram_.has_answer(now)) collect_fills(now);
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

// A stalled request goes on after an answer of DRAM, when DRAM or the crossbar has room again, or after this
// slice has sent a request or a reply, and each of these events wakes the slice.
void L2Slice::tell_ports(Cycle now) {
  const bool stalls = stall_ != L2Cache::Stall::kNone;
  requests_.take_from(stalls ? Cycle::never() : std::max(port_free_, now + 1));
  requests_.send_from(std::max(reply_due(), now + 1));
  // A reply may have made room in this cycle after the fills were collected.
  dram_.take_from(waiting_.full() ? Cycle::never() : now + 1);
  dram_.send_from(next_request(now));
}

// A request of an SM that is stalled may find room when DRAM has taken a request of the slice, so that the
// slice tries it again as soon as DRAM has room. A request for DRAM waits while too many answers do.
Cycle L2Slice::next_request(Cycle now) const {
  const bool awaits_room = dram_.request_free() > now;
  if (stall_ != L2Cache::Stall::kNone && awaits_room) return now;
  if (to_dram_.empty() || (!awaits_room && dram_.waiting() > spec_.return_queue)) return Cycle::never();
  return std::max(to_dram_.front().due, now + 1);
}

void L2Slice::collect_fills(Cycle now) {
  while (dram_.has_answer(now) && !waiting_.full()) {
    MemoryRequest& transfer = dram_.answer();
    --in_flight_[transfer.account];
    if (!is_write(transfer.kind)) filled(transfer, now);
    if (trace_ != nullptr) tell(TraceStage::kL2Fill, transfer, dram_.answer_due(), now);
    dram_.pop_answer();
    pool_.give_back(transfer);
  }
}

void L2Slice::filled(const MemoryRequest& fill, Cycle now) {
  const auto entry = static_cast<MshrFile::Entry>(fill.number);
  cache_.filled(entry);
  for (std::uint32_t i = 0; i < cache_.mshrs().waiting(entry); ++i) {
    const auto number = static_cast<std::uint32_t>(cache_.mshrs().waiter(entry, i));
    Pending& pending = pending_[number];
    if (--pending.fills > 0) continue;
    const Cycle ready = std::max(now, pending.ready);
    waiting_.push(*pending.request, true, ready, pending.crossing);
    if (pending.crossing > 0) crossing_.set_due(pending.line, ready + pending.crossing);
    free_pending_.give_back(number);
  }
  cache_.release_fill(entry);
}

// At most one reply leaves in a cycle, whether or not the crossbar takes it in that cycle.
void L2Slice::reply(Cycle now) {
  if (requests_.answer_free() > now) return;
  if (waiting_.due() > now) return;
  const auto [due, answered] = waiting_.pop();
  MemoryRequest& request = *answered;
  reply_blocked_cycles_ += now - due;
  if (trace_ != nullptr) tell(TraceStage::kL2Reply, request, due, now);
  reply_free_ = now + (is_write(request.kind) ? 1 : spec_.cycles_of(sectors_of(request)));
  ++replies_;
  requests_.answer(request, now);
}

void L2Slice::accept(Cycle now) {
  if (waiting_.full()) return stall(L2Cache::Stall::kReply, now);
  MemoryRequest& request = requests_.request();
  const L2Cache::Stall reason = cache_.access(access_of(request, now), room_to_dram(), outcome_);
  stall(reason, now);
  if (reason != L2Cache::Stall::kNone) return;
  if (request.trace != 0) tell(TraceStage::kL2Access, request, requests_.request_due(), now);
  requests_.take_request();
  request.missed_line = outcome_.missed_line;
  perform(request, now);
}

void L2Slice::perform(MemoryRequest& request, Cycle now) {
  std::uint64_t cycles = std::max<std::uint64_t>(1, spec_.cycles_of(outcome_.sectors));
  if (request.kind == RequestKind::kAtomic) {
    const std::uint64_t steps = spec_.atomic_sectors ? request.depth : request.lanes;
    cycles = std::max(cycles, steps * spec_.atomic_cycles);
  }
  port_free_ = now + cycles;
  const Cycle ready = now + (cycles - 1 + spec_.hit_latency);
  const std::uint64_t crossing = crossing_.is_far(request.sm) ? cross(request, ready, now) : 0;
  if (outcome_.fills > 0) {
    pending_[free_pending_.take()] = {&request, outcome_.fills, ready, crossing, outcome_.line};
  } else {
    waiting_.push(request, false, ready, crossing);
  }
  queue_transfers(request, now);
}

// The data of an earlier request for the line may be on their way to the other half, or may go there when its
// fill has arrived. A request that finds such a copy waits for these data.
std::uint64_t L2Slice::cross(const MemoryRequest& request, Cycle ready, Cycle now) {
  if (!outcome_.crosses) {
    if (outcome_.fills > 0) return crossing_.latency();
    return outcome_.line == TagArray::kNone ? 0 : crossing_.wait(outcome_.line, ready);
  }
  const std::uint64_t cycles = crossing_.cross(outcome_.sectors * L2Spec::kSectorBytes, now);
  const bool is_read = request.kind != RequestKind::kAtomic && !is_write(request.kind);
  if (outcome_.fills == 0 && is_read) crossing_.set_due(outcome_.line, ready + cycles);
  return cycles;
}

// A transfer leaves in the cycle of the sector access that needs it.
void L2Slice::queue_transfers(const MemoryRequest& cause, Cycle now) {
  for (std::uint32_t i = 0; i < outcome_.transfers; ++i) {
    const L2Cache::Transfer& transfer = outcome_.transfer[i];
    MemoryRequest& request = pool_.take();
    request = MemoryRequest();
    request.address = transfer.address;
    request.bytes = transfer.bytes;
    request.context = cause.context;
    request.account = cause.account;
    ++in_flight_[cause.account];
    request.sm = cause.sm;
    if (transfer.is_swap)
      request.kind = transfer.write ? RequestKind::kSwapStore : RequestKind::kSwapLoad;
    else
      request.kind = transfer.write ? RequestKind::kWriteBack : RequestKind::kFill;
    request.number = transfer.mshr;
    request.trace = cause.trace;
    request.issued = now;
    request.partial = transfer.write && transfer.written != ~std::uint64_t{0} >> (64 - transfer.bytes);
    const auto first = static_cast<std::uint32_t>(transfer.address % L2Spec::kLineBytes);
    if (request.partial) request.written[first / 64] = transfer.written << first % 64;  // of one burst
    to_dram_.push({now + transfer.after, &request});
  }
}

void L2Slice::send(Cycle now) {
  if (to_dram_.front().due > now || !dram_.can_send(now) || dram_.waiting() > spec_.return_queue) return;
  MemoryRequest& request = *to_dram_.front().request;
  if (trace_ != nullptr) tell(TraceStage::kL2ToDram, request, to_dram_.front().due, now);
  to_dram_.pop();
  dram_.send(request, now);
}

std::uint32_t L2Slice::room_to_dram() const {
  const std::size_t transfers = transfers_ - pool_.in_use();
  return static_cast<std::uint32_t>(std::min(to_dram_.capacity() - to_dram_.size(), transfers));
}

L2Cache::Access L2Slice::access_of(const MemoryRequest& request, Cycle now) const {
  L2Cache::Access access;
  access.address = request.address;
  access.bytes = request.bytes;
  HEDDLE_CHECK(access.bytes > 0 && access.bytes % L2Spec::kSectorBytes == 0 &&
                   access.address % L2Spec::kSectorBytes == 0 &&
                   access.address % L2Spec::kLineBytes + access.bytes <= L2Spec::kLineBytes,
               name(), now, "{} bytes at {:#x} are not whole sectors of a line", access.bytes,
               access.address);
  access.index = local_ ? local_(access.address) : access.address;
  access.account = request.account;
  access.context = request.context;
  access.is_swap = is_swap(request.kind);
  access.is_far = crossing_.is_far(request.sm);
  if (!free_pending_.empty()) access.request = free_pending_.next();
  if (!is_write(request.kind)) {
    if (request.kind == RequestKind::kAtomic) access.kind = L2Cache::Kind::kAtomic;
    return access;
  }
  access.kind = L2Cache::Kind::kWrite;
  const auto first = static_cast<std::uint32_t>(access.address % L2Spec::kLineBytes / L2Spec::kSectorBytes);
  for (std::uint32_t sector = first; sector < first + sectors_of(request); ++sector)
    access.written[sector] = request.partial
                                 ? static_cast<std::uint32_t>(request.written[sector / 2] >> sector % 2 * 32)
                                 : L2Cache::kWholeSector;
  return access;
}

void L2Slice::tell(TraceStage stage, const MemoryRequest& request, Cycle since, Cycle now) {
  if (trace_ == nullptr || request.trace == 0) return;
  TraceEvent event;
  event.stage = stage;
  event.at = now;
  event.since = since;
  event.request = request.trace;
  event.address = request.address;
  event.bytes = request.bytes;
  if (stage == TraceStage::kL2Access)
    event.detail = outcome_.fills == 0    ? std::string(is_write(request.kind) ? "written" : "hit")
                   : outcome_.missed_line ? fmt::format("miss waits for {} fills", outcome_.fills)
                                          : fmt::format("waits for {} fills", outcome_.fills);
  else if (stage == TraceStage::kL2ToDram)
    event.detail = is_write(request.kind) ? "write-back" : "fill";
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
  return std::max(waiting_.due(), reply_free_);
}

bool L2Slice::idle() const {
  return requests_.waiting() == 0 && pool_.in_use() == 0 && waiting_.size() == 0 &&
         free_pending_.in_use() == 0 && requests_.answer_free() != Cycle::never();
}

std::string L2Slice::waiting_for() const {
  std::string text = fmt::format("{} requests", requests_.waiting());
  if (stall_ != L2Cache::Stall::kNone) text += fmt::format(", the oldest stalled: {}", name_of(stall_));
  text += fmt::format("; {} fills in flight; {} replies", cache_.mshrs().in_use(), waiting_.size());
  if (requests_.answer_free() == Cycle::never()) text += ", for which the crossbar has no room";
  text += fmt::format("; {} transfers for DRAM", to_dram_.size());
  if (dram_.request_free() == Cycle::never()) text += ", which has no room";
  return text;
}

}  // namespace heddle
