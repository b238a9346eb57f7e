#include "models/sm/pipeline/warp_tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {

namespace {

std::string name_of(RegisterId id) {
  return id >= kFirstPredicateName ? fmt::format("p{}", id - kFirstPredicateName) : fmt::format("r{}", id);
}

const char* name_of(MemorySpace space) {
  constexpr std::array<const char*, 8> kNames{"",         "global",  "local", "shared",
                                              "constant", "texture", "swap",  "saved"};
  return kNames[static_cast<std::size_t>(space)];
}

// Returns the instruction as text: "load global 4 B r12 <- r3".
std::string text_of(const Instruction& code) {
  std::string text = heddle::name_of(code.operation);
  if (code.space != MemorySpace::kNone) text += fmt::format(" {} {} B", name_of(code.space), code.bytes);
  for (const RegisterId id : code.destinations()) text += " " + name_of(id);
  if (!code.sources().empty()) text += " <-";
  for (const RegisterId id : code.sources()) text += " " + name_of(id);
  return text;
}

// Returns the registers of the instruction that earlier ones have still to write.
std::string awaited_by(const IssueWarp& warp, const Instruction& code) {
  std::string names;
  std::vector<RegisterId> named = code.sources();
  named.insert(named.end(), code.destinations().begin(), code.destinations().end());
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (const RegisterId id : named) {
    Instruction reader;
    reader.reads_predicate(id);
    if (warp.scoreboard.wait(reader).pending) names += " " + name_of(id);
  }
  return names;
}

// Returns why the warp does not issue, in the words of the stall buckets. A warp that could is not chosen.
std::string reason_of(const ResidentTable& resident, const IssueTable& table, std::uint32_t slot,
                      WarpMask open) {
  const WarpMask me = bit(slot);
  const IssueWarp& warp = table.warps[slot];
  if ((resident.paused & me) != 0) return "paused";
  if ((resident.pending & me) != 0) return "pending (no registers or shared memory or slot)";
  if ((resident.at_barrier & me) != 0) return name_of(Bucket::kBarrier);
  if ((table.next.buffered & me) == 0) return name_of(Bucket::kBufferEmpty);
  const Instruction& code = *warp.buffer[0];
  if (((table.next.wait_memory | table.next.wait_alu) & me) != 0) {
    const Bucket bucket =
        (table.next.wait_memory & me) != 0 ? Bucket::kScoreboardMemory : Bucket::kScoreboardAlu;
    const std::string awaited = awaited_by(warp, code);
    return name_of(bucket) +
           (awaited.empty() ? fmt::format(" ({})", heddle::name_of(code.operation)) : awaited);
  }
  const auto unit = static_cast<UnitKind>(warp.next_on);
  if ((open & me) == 0)
    return fmt::format("{} ({})",
                       name_of(unit == UnitKind::kMemory ? Bucket::kPipelineMemory : Bucket::kPipelineAlu),
                       name_of(unit));
  return "not_chosen";
}

const char* name_of(RequestKind kind) {
  constexpr std::array<const char*, 10> kNames{"other",    "load", "store",      "atomic",    "instruction",
                                               "constant", "fill", "write-back", "swap load", "swap store"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

WarpTracer::WarpTracer(TraceObserver& observer, std::uint32_t sm, std::uint32_t sms)
    : observer_(observer),
      sm_(sm),
      sms_(sms),
      sink_(observer.sink(fmt::format("sm{}", sm), TraceClock::kCore)) {}

void WarpTracer::reset() {
  slots_.fill(Slot{});
  followed_ = 0;
  requests_ = 0;
}

bool WarpTracer::follows(std::uint32_t slot, Cycle since, Cycle now) const {
  const std::vector<TraceWindow>& windows = slots_[slot].windows;
  return std::any_of(windows.begin(), windows.end(),
                     [&](const TraceWindow& window) { return window.first <= now && since <= window.last; });
}

TraceEvent WarpTracer::event(TraceStage stage, std::uint32_t slot, Cycle now) const {
  TraceEvent event;
  event.stage = stage;
  event.at = event.since = now;
  event.sm = sm_;
  event.warp = slot;
  return event;
}

void WarpTracer::add(TraceStage stage, std::uint32_t slot, const Instruction& code, Cycle now,
                     std::string detail) {
  if (!follows(slot, now, now)) return;
  TraceEvent one = event(stage, slot, now);
  one.pc = code.pc;
  one.detail = std::move(detail);
  sink_.add(std::move(one));
}

// The event stands in every trace of a warp that is followed at some time, because it names the kernel.
void WarpTracer::start(std::uint32_t slot, const ResidentTable& resident) {
  const ResidentBlock& block = resident.block_of(slot);
  Slot& mine = slots_[slot];
  mine = Slot{};
  mine.windows = observer_.windows(sm_, slot, block.context, block.tag);
  followed_ &= ~bit(slot);
  if (mine.windows.empty()) return;
  followed_ |= bit(slot);
  TraceEvent one = event(TraceStage::kStart, slot, block.started);
  one.detail = fmt::format("{} block {} warp {}", observer_.kernel(block.context, block.tag),
                           block.block.value, resident.warps[slot].number);
  sink_.add(std::move(one));
}

void WarpTracer::fetch(std::uint32_t slot, std::uint32_t pc, bool hits, Cycle now) {
  if (!follows(slot, now, now)) return;
  TraceEvent one = event(TraceStage::kFetch, slot, now);
  one.pc = pc;
  one.detail = hits ? "hit" : "miss";
  sink_.add(std::move(one));
}

void WarpTracer::decode(const IssueTable& table, std::uint32_t slot, Cycle now) {
  const IssueWarp& warp = table.warps[slot];
  if (warp.buffered == 0) return;
  const char* plural = warp.buffered == 1 ? "" : "s";
  add(TraceStage::kDecode, slot, *warp.buffer[0], now,
      fmt::format("{} instruction{}", warp.buffered, plural));
}

void WarpTracer::issue(std::uint32_t slot, const IssuedInstruction& issued, UnitKind unit, Cycle now) {
  slots_[slot].issued = now;
  set_reason(slot, "", now);
  if (!follows(slot, now, now)) return;
  add(TraceStage::kIssue, slot, *issued.code, now,
      fmt::format("{} ({} lanes to {})", text_of(*issued.code), __builtin_popcount(issued.mask),
                  name_of(unit)));
  if (issued.code->operation == Operation::kBarrier)
    add(TraceStage::kBarrier, slot, *issued.code, now, fmt::format("barrier {}", issued.code->barrier));
  if (issued.ended) add(TraceStage::kEnd, slot, *issued.code, now);
}

void WarpTracer::read(const UnitInstruction& instruction, Cycle at) {
  add(TraceStage::kOperands, instruction.warp, *instruction.code, at);
}

void WarpTracer::dispatch(const UnitInstruction& instruction, Cycle at) {
  add(TraceStage::kDispatch, instruction.warp, *instruction.code, at);
}

void WarpTracer::access(std::uint32_t slot, const Instruction& code, Address line, std::uint32_t bytes,
                        const char* what, Cycle now) {
  if (!follows(slot, now, now)) return;
  TraceEvent one = event(TraceStage::kAccess, slot, now);
  one.pc = code.pc;
  one.detail = what;
  one.address = line;
  one.bytes = bytes;
  sink_.add(std::move(one));
}

void WarpTracer::write_back(std::uint32_t slot, const Instruction& code, Cycle now) {
  add(TraceStage::kWriteBack, slot, code, now);
}

void WarpTracer::wait(const ResidentTable& resident, const IssueTable& table, WarpMask open, Cycle now) {
  for_each_slot(followed_, [&](std::uint32_t slot) {
    const bool waits = (resident.live & bit(slot)) != 0 && slots_[slot].issued != now;
    set_reason(slot, waits ? reason_of(resident, table, slot, open) : "", now);
  });
}

void WarpTracer::later(const ResidentTable& resident, const IssueTable& table, WarpMask open, Cycle now) {
  for_each_slot(followed_, [&](std::uint32_t slot) {
    set_reason(slot, (resident.live & bit(slot)) != 0 ? reason_of(resident, table, slot, open) : "", now + 1);
  });
}

// From the cycle `from` on the warp waits for this reason. A run of cycles with the reason before ends there.
void WarpTracer::set_reason(std::uint32_t slot, std::string reason, Cycle from) {
  Run& run = slots_[slot].run;
  if (run.reason == reason) return;
  if (!run.reason.empty() && run.since < from && follows(slot, run.since, from - 1)) {
    TraceEvent one = event(TraceStage::kWait, slot, from - 1);
    one.since = run.since;
    one.detail = run.reason;
    sink_.add(std::move(one));
  }
  run = {std::move(reason), from};
}

std::uint32_t WarpTracer::request(const MemoryRequest& request, Cycle now) {
  if (!follows(request.warp, now, now)) return 0;
  TraceEvent one = event(TraceStage::kRequest, request.warp, now);
  one.request = requests_++ * sms_ + sm_.value + 1;
  one.address = request.address;
  one.bytes = request.bytes;
  one.detail = name_of(request.kind);
  sink_.add(one);
  return one.request;
}

void WarpTracer::pass(TraceStage stage, std::uint32_t request, Cycle now) {
  if (request == 0) return;
  TraceEvent one;
  one.stage = stage;
  one.at = one.since = now;
  one.request = request;
  sink_.add(std::move(one));
}

}  // namespace heddle
