#include "models/sm/subcore/subcore_units.h"

namespace heddle {

namespace {

constexpr auto kMemory = static_cast<std::size_t>(UnitKind::kMemory);

}  // namespace

SubcoreUnits::SubcoreUnits(const CycleSmSpec& spec, Group& stats)
    : spec_(spec.subcore),
      memory_timings_(spec.subcore),
      count_(spec.schedulers),
      warps_of_first_(warps_of_first(spec.schedulers)),
      shares_(spec.schedulers),
      constants_(spec.subcore.constants, spec.schedulers) {
  subcores_.reserve(spec.schedulers);
  for (std::uint32_t i = 0; i < spec.schedulers; ++i) subcores_.emplace_back(spec.subcore.memory_queue);
  stats.add(bank_conflicts_, "bank_conflicts", "cycle",
            "cycles by which reads of registers put instructions off: a port of their bank was taken");
  for (std::size_t i = 0; i < kOperations; ++i)
    timings_[i] = {spec.operations[i].latency + 2, spec.operations[i].interval};
  for (std::size_t unit = 0; unit < kUnitKinds; ++unit) {
    const std::uint32_t count = unit == kMemory ? 0 : spec.units[unit].count;
    first_of_unit_[unit] = pipelines_.size();
    has_own_[unit] = count == spec.schedulers;
    if (has_own_[unit]) continue;
    is_shared_[unit] = count < spec.schedulers;
    for (std::uint32_t i = 0; i < spec.schedulers && count > 0; ++i) {
      const std::uint32_t first = i * count / spec.schedulers;
      const std::uint32_t end = std::max(first + 1, (i + 1) * count / spec.schedulers);
      shares_[i][unit] = {static_cast<std::uint8_t>(pipelines_.size() + first),
                          static_cast<std::uint8_t>(end - first)};
    }
    pipelines_.resize(pipelines_.size() + count);
  }
  first_of_unit_[kUnitKinds] = pipelines_.size();
}

void SubcoreUnits::reset() {
  for (Subcore& subcore : subcores_) subcore.reset();
  for (Pipeline& pipeline : pipelines_) pipeline = {};
  memory_due_ = Cycle::never();
  memory_port_ = Cycle{0};
  memory_turn_ = 0;
  reads_.reset();
  reads_done_.reset();
  results_.reset();
  constants_.reset();
}

SubcoreUnits::Pipeline& SubcoreUnits::first_free(std::size_t subcore, std::size_t unit) {
  const Share& mine = share(subcore, unit);
  Pipeline* first = &pipelines_[mine.first];
  for (std::size_t i = 1; i < mine.count; ++i)
    if (pipelines_[mine.first + i].free < first->free) first = &pipelines_[mine.first + i];
  return *first;
}

// An instruction takes a pipeline of the unit from the cycle on, for so many cycles.
void SubcoreUnits::take_pipeline(std::size_t scheduler, std::size_t unit, Cycle from,
                                 std::uint32_t interval) {
  Pipeline& pipeline = first_free(scheduler, unit);
  pipeline.free = from + interval;
  pipeline.busy += interval;
  update_shares(scheduler, unit);
}

// Updates the cycle in which the unit is free, after an instruction has taken one of its pipelines. If
// several sub-cores share the unit, the function updates all of them. This cycle never becomes earlier, and
// therefore Subcore::all_free is a maximum that only grows.
void SubcoreUnits::update_shares(std::size_t subcore, std::size_t unit) {
  for (std::size_t i = is_shared_[unit] ? 0 : subcore; i < subcores_.size(); ++i) {
    const Share& its = share(i, unit);
    Cycle free = pipelines_[its.first].free;
    for (std::size_t n = 1; n < its.count; ++n) free = std::min(free, pipelines_[its.first + n].free);
    subcores_[i].units[unit].free = free;
    subcores_[i].all_free = std::max(subcores_[i].all_free, free);
    if (!is_shared_[unit]) return;
  }
}

Cycle SubcoreUnits::allocate_reusing(Subcore& subcore, const Instruction& code, std::uint16_t warp,
                                     Cycle from) {
  return subcore.ports.allocate(subcore.reuse.read(code, warp), from);
}

// The compiler keeps an operand in the reuse cache if the next instruction of the warp has it at the same
// place (section 5.3.1). Instructions without control bits do not say so, and are taken to be compiled well.
Cycle SubcoreUnits::allocate_again(Subcore& subcore, const Instruction& code, FirstSources last, Cycle from) {
  const FirstSources& mine = code.first_sources();
  RegisterPorts::Reads reads{code.reads_by_parity()[0], code.reads_by_parity()[1]};
  for (std::size_t i = 0; i < kOperands; ++i)
    if (mine[i] == last[i] && mine[i] != kNoRegister && reads[mine[i] % 2] > 0) --reads[mine[i] % 2];
  return subcore.ports.allocate(reads, from);
}

void SubcoreUnits::set_memory_free(Subcore& subcore, Cycle cycle) {
  subcore.units[kMemory].free = cycle;
  subcore.all_free = Cycle{0};
  for (const Pipeline& unit : subcore.units) subcore.all_free = std::max(subcore.all_free, unit.free);
}

WarpMask SubcoreUnits::with_free_unit(const Subcore& subcore, const IssueTable& table, Cycle now) {
  std::uint32_t closed = 0;
  for (std::size_t unit = 0; unit < kUnitKinds; ++unit)
    closed |= (subcore.units[unit].free > now ? 1u : 0u) << unit;
  return ~table.with_next_on(closed);
}

WarpMask SubcoreUnits::open(const IssueTable& table, Cycle now) const {
  WarpMask warps = 0;
  for (std::size_t i = 0; i < subcores_.size(); ++i) warps |= open(i, table, now) & warps_of(i);
  return warps;
}

// The parts of the instruction are passed alone, because only a trace needs it as a whole.
void SubcoreUnits::trace_fixed(const Instruction& code, std::uint16_t warp, UnitKind unit, Cycle allocated) {
  const UnitInstruction instruction{&code, 0, warp, unit, code.operation};
  tracer_->read(instruction, allocated);
  tracer_->dispatch(instruction, allocated + RegisterPorts::kWindow);
}

void SubcoreUnits::issue_memory(std::size_t scheduler, const Instruction& code, std::uint32_t entry,
                                std::uint16_t warp, Cycle now) {
  Subcore& subcore = subcores_[scheduler];
  const UnitInstruction instruction{&code, entry, warp, UnitKind::kMemory, code.operation};
  const std::array<std::uint8_t, 2>& reads = code.reads_by_parity();
  const Cycle read = subcore.ports.read({reads[0], reads[1]}, now + kToAllocate);
  if (tracer_ != nullptr) tracer_->read(instruction, read);
  subcore.control = now + 1;
  const bool is_first = subcore.memory.empty();
  subcore.memory.push({instruction, std::max(read + 1, now + memory_timings_.until_it_leaves(code)),
                       memory_timings_.until_it_has_read(code)});
  if (is_first) book_read_before(subcore, now + 1);
  if (subcore.memory.full()) set_memory_free(subcore, Cycle::never());
  reads_.add(warp, code);
  find_memory_due();
}

// Books the reads of the next instruction that leaves the sub-core, if it has read its registers before it
// leaves. An instruction behind it reads later.
void SubcoreUnits::book_read_before(const Subcore& subcore, Cycle now) {
  if (subcore.memory.empty() || subcore.memory.front().read >= 0) return;
  const Waiting& next = subcore.memory.front();
  const Cycle leaves = std::max(next.leaves, subcore.left);
  reads_done_.book(*next.instruction.code, next.instruction.warp, 0,
                   std::max(now, leaves - static_cast<std::uint32_t>(-next.read)));
}

void SubcoreUnits::find_memory_due() {
  memory_due_ = Cycle::never();
  for (const Subcore& subcore : subcores_)
    if (!subcore.memory.empty())
      memory_due_ = std::min(memory_due_, std::max(subcore.memory.front().leaves, subcore.left));
  if (memory_due_ != Cycle::never()) memory_due_ = std::max(memory_due_, memory_port_);
}

UnitInstruction SubcoreUnits::take_memory(Cycle now) {
  std::size_t i = memory_turn_;
  while (subcores_[i].memory.empty() || std::max(subcores_[i].memory.front().leaves, subcores_[i].left) > now)
    i = (i + 1) % subcores_.size();
  Subcore& subcore = subcores_[i];
  const UnitInstruction instruction = subcore.memory.front().instruction;
  const std::int32_t read = subcore.memory.front().read;
  if (read >= 0)
    reads_done_.book(*instruction.code, instruction.warp, 0, now + static_cast<std::uint32_t>(read));
  subcore.memory.pop();
  set_memory_free(subcore, now);
  subcore.left = now + spec_.memory_interval;
  memory_turn_ = (i + 1) % subcores_.size();
  memory_port_ = now + spec_.memory_port;
  book_read_before(subcore, now);
  if (tracer_ != nullptr) tracer_->dispatch(instruction, now);
  find_memory_due();
  return instruction;
}

LoadWrite SubcoreUnits::write_load(const Instruction& code, std::uint32_t warp, Cycle now) {
  if (code.register_writes == 0) return LoadWrite::kDone;
  Subcore& subcore = subcores_[subcore_of(warp)];
  if (subcore.write_port > now) return LoadWrite::kWaits;
  const std::uint32_t cycles = memory_timings_.of_write_port(code);
  subcore.write_port = now + cycles;
  if (cycles == spec_.load_interval) return LoadWrite::kDone;
  results_.book(code, warp, 0, now + (cycles - spec_.load_interval));
  return LoadWrite::kLater;
}

Cycle SubcoreUnits::next_wake(WarpMask ready, const IssueTable& table, bool memory_has_room,
                              Cycle now) const {
  Cycle next = std::min(results_.next(now), reads_done_.next(now));
  if (memory_has_room) next = std::min(next, std::max(memory_due_, now + 1));
  for (std::size_t i = 0; ready != 0 && i < subcores_.size(); ++i) {
    const WarpMask mine = ready & warps_of(i);
    const Cycle from = std::max(subcores_[i].control, now + 1);
    for (std::size_t unit = 0; mine != 0 && unit < kUnitKinds; ++unit)
      if ((table.next.next_on[unit] & mine) != 0)
        next = std::min(next, std::max(from, subcores_[i].units[unit].free));
  }
  return next;
}

std::uint64_t SubcoreUnits::busy_cycles(UnitKind unit, Cycle now) const {
  const auto i = static_cast<std::size_t>(unit);
  std::uint64_t busy = 0;
  for (std::size_t n = first_of_unit_[i]; n < first_of_unit_[i + 1]; ++n)
    busy += pipelines_[n].busy_until(now);
  for (const Subcore& subcore : subcores_) busy += has_own_[i] ? subcore.units[i].busy_until(now) : 0;
  return busy;
}

}  // namespace heddle
