#include "models/sm/cycle_sm.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/sm/coalescer.h"

namespace heddle {

namespace {

// Requests of one SM without an answer: its MSHRs, its direct loads and its stores share these.
constexpr std::size_t kOutstanding = 512;

void set(Counter& counter, std::uint64_t value) {
  counter = Counter{};
  counter += value;
}

void add_buckets(Group& group, std::array<Counter, kBuckets>& buckets) {
  static constexpr std::array<const char*, kBuckets> kWhat{
      "a warp issued",
      "none issued; a warp was ready for the memory unit, which had no room",
      "none issued; a warp was ready for another unit, which had no room",
      "none issued; a warp waited for a register of a load, or for its stores",
      "none issued; a warp waited for a register of another unit",
      "none issued; a warp waited for instructions",
      "none issued; a warp waited at a barrier",
      "no warp had an instruction left"};
  for (std::size_t i = 0; i < kBuckets; ++i)
    group.add(buckets[i], name_of(static_cast<Bucket>(i)), "cycle", kWhat[i]);
}

}  // namespace

CycleSm::CycleSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t number, std::uint32_t ksrs,
                 std::uint64_t set_up_cycles, Deps deps)
    : SmModule(name, spec, ksrs, set_up_cycles, deps.core),
      number_(number),
      ksrs_(ksrs),
      library_(deps.programs),
      memory_("memory", deps.core, sleeper_, kOutstanding),
      payloads_(kOutstanding, 2 * kLineBytes),  // data, then byte enables
      logic_(basename(), *spec.cycle, spec.limits, number, spec.count, ksrs,
             SmCore::Deps{*this, *this, deps.meter, std::move(deps.schedulers)}),
      scheduler_buckets_(spec.cycle->schedulers) {
  declare_stats();
}

void CycleSm::declare_stats() {
  totals_ = std::make_unique<KernelStats>(stats_);
  Group& cycles = stats_.child("cycles");
  add_buckets(cycles, buckets_);
  for (std::size_t i = 0; i < scheduler_buckets_.size(); ++i)
    add_buckets(stats_.child("scheduler" + std::to_string(i)), scheduler_buckets_[i]);
  Group& issued = stats_.child("issued");
  for (std::size_t i = 0; i < kUnitKinds; ++i)
    issued.add(issued_[i], name_of(static_cast<UnitKind>(i)), "instruction", "issued to this unit");
  stats_.add(fetches_, "fetches", "access", "accesses of the instruction cache, tried-again ones included");
  stats_.add(fetch_misses_, "fetch_misses", "access", "lines the instruction cache asked for at L2");
  stats_.add(bank_conflicts_, "bank_conflicts", "read",
             "register reads put off by a cycle: the bank was taken");
  CounterList all;
  for (const Counter& bucket : buckets_) all.emplace_back(bucket);
  stats_.add_formula("ipc", "instruction/cycle", "warp instructions per core cycle",
                     {totals_->counter(&KernelCounts::warp_instructions)}, all);
  declare_units(all);
}

void CycleSm::declare_units(const CounterList& cycles) {
  Group& busy = stats_.child("unit_busy");
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const std::uint32_t pipelines = spec_.cycle->units[i].count;
    if (pipelines == 0) continue;
    const auto unit = static_cast<UnitKind>(i);
    busy.add(unit_busy_cycles_[i], name_of(unit), "pipeline*cycle",
             unit == UnitKind::kMemory
                 ? "cycles with an instruction at the head of the load/store unit's queue: it made an "
                   "access, or was refused"
                 : "cycles in which a pipeline could take no instruction, for the initiation interval of the "
                   "one before; summed over pipelines");
    stats_.add_formula(std::string(name_of(unit)) + "_utilisation", "1",
                       "busy pipelines per pipeline of the unit", {unit_busy_cycles_[i]}, cycles,
                       1.0 / pipelines);
  }
}

void CycleSm::reset() {
  SmModule::reset();
  memory_.reset();
  payloads_.reset();
  logic_.reset();
}

void CycleSm::tick(Cycle now) {
  take_answers(now);
  answer_set_ups(now);
  take_requests(now);
  Cycle next = logic_.tick(now);
  if (next > now + 1) {
    const bool sends = logic_.wants_to_send() && memory_.can_send(now + 1);
    next = sends ? now + 1 : std::min({next, memory_.next_wake(now), next_request()});
  }
  core_.wake_at(sleeper_, next);
}

void CycleSm::take_answers(Cycle now) {
  for (; memory_.has_response(now); memory_.pop_response()) {
    tlm::tlm_generic_payload& payload = memory_.response();
    RequestInfo* info = nullptr;
    payload.get_extension(info);
    HEDDLE_CHECK(payload.is_response_ok(), basename(), now, "request {:#x} failed", payload.get_address());
    logic_.answer(info->number);
    payload.release();
  }
}

bool CycleSm::can_send() const {
  return memory_.can_send(core_.now()) && !payloads_.empty();
}

void CycleSm::send(const MemoryRequest& request) {
  const bool write = is_write(request.kind);
  tlm::tlm_generic_payload& payload =
      payloads_.take(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, request.address, request.bytes);
  if (request.partial) {
    unsigned char* enables = payload.get_data_ptr() + kLineBytes;
    const std::uint32_t first = request.address % kLineBytes;
    for (std::uint32_t i = 0; i < request.bytes; ++i) {
      const bool written = (request.written[(first + i) / 64] >> (first + i) % 64 & 1) != 0;
      enables[i] = written ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(request.bytes);
  }
  RequestInfo* info = nullptr;
  payload.get_extension(info);
  info->context = request.context;
  info->kernel = request.kernel;
  info->sm = number_;
  info->warp = request.warp;
  info->kind = request.kind;
  info->lanes = request.lanes;
  info->number = request.number;
  info->issued = core_.now();
  memory_.send(payload);
}

std::string CycleSm::waiting_for() const {
  const WarpTable& table = logic_.table();
  const auto count = [](WarpMask mask) { return __builtin_popcountll(mask); };
  return fmt::format(
      "{} blocks, {} warps live: {} wait for memory, {} for units, {} for instructions, {} at a "
      "barrier; {} requests unanswered",
      logic_.resident_blocks(), count(table.live), count(table.wait_memory), count(table.wait_alu),
      count(table.live & ~table.buffered & ~table.at_barrier), count(table.at_barrier),
      memory_.outstanding());
}

void CycleSm::set_up(const Program& program, KsrId ksr) {
  logic_.set_kernel(ksr, program.launch, library_.program(program.launch));
}

BucketCycles CycleSm::cycles_until(Cycle now) {
  logic_.settle(now);
  return logic_.accounts().sm();
}

void CycleSm::settle_stats() {
  SmModule::settle_stats();
  logic_.settle(core_.now());
  const CycleAccounts& accounts = logic_.accounts();
  for (std::size_t b = 0; b < kBuckets; ++b) {
    set(buckets_[b], accounts.sm()[b]);
    for (std::size_t i = 0; i < scheduler_buckets_.size(); ++i)
      set(scheduler_buckets_[i][b], accounts.scheduler(i)[b]);
  }
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    set(issued_[i], logic_.issued_on()[i]);
    set(unit_busy_cycles_[i], logic_.busy_cycles(static_cast<UnitKind>(i), core_.now()));
  }
  set(fetches_, logic_.front_end().accesses());
  set(fetch_misses_, logic_.front_end().misses());
  set(bank_conflicts_, logic_.bank_conflicts());
  KernelCounts sum;
  for (std::uint32_t i = 0; i < ksrs_; ++i) sum += logic_.counts(KsrId{i});
  totals_->set(sum);
}

}  // namespace heddle
