#include "models/sm/subcore/subcore_units.h"

namespace heddle {

namespace {

constexpr auto kMemory = static_cast<std::size_t>(UnitKind::kMemory);

}  // namespace

SubcoreUnits::SubcoreUnits(const CycleSmSpec& spec, Group& stats)
    : spec_(spec.subcore),
      count_(spec.schedulers),
      warps_of_first_(warps_of_first(spec.schedulers)),
      shares_(spec.schedulers) {
  subcores_.reserve(spec.schedulers);
  for (std::uint32_t i = 0; i < spec.schedulers; ++i) subcores_.emplace_back(spec.subcore.memory_queue);
  stats.add(bank_conflicts_, "bank_conflicts", "cycle",
            "cycles by which reads of registers put instructions off: a port of their bank was taken");
  for (std::size_t i = 0; i < kOperations; ++i)
    timings_[i] = {spec.operations[i].latency + 2, spec.operations[i].interval};
  for (std::size_t unit = 0; unit < kUnitKinds; ++unit) {
    const std::uint32_t count = unit == kMemory ? 0 : spec.units[unit].count;
    first_of_unit_[unit] = pipelines_.size();
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
  results_.reset();
}

inline SubcoreUnits::Pipeline& SubcoreUnits::first_free(std::size_t subcore, std::size_t unit) {
  const Share& mine = share(subcore, unit);
  Pipeline* first = &pipelines_[mine.first];
  for (std::size_t i = 1; i < mine.count; ++i)
    if (pipelines_[mine.first + i].free < first->free) first = &pipelines_[mine.first + i];
  return *first;
}

// Updates the cycle in which the unit is free, after an instruction has taken one of its pipelines. If
// several sub-cores share the unit, the function updates all of them. This cycle never becomes earlier, and
// therefore Subcore::all_free is a maximum that only grows.
inline void SubcoreUnits::update_free(std::size_t subcore, std::size_t unit) {
  const Share& mine = share(subcore, unit);
  if (mine.count != 1 || is_shared_[unit]) return update_shares(subcore, unit);
  Subcore& its = subcores_[subcore];
  const Cycle free = pipelines_[mine.first].free;
  its.free[unit] = free;
  if (free > its.all_free) its.all_free = free;
}

void SubcoreUnits::update_shares(std::size_t subcore, std::size_t unit) {
  for (std::size_t i = is_shared_[unit] ? 0 : subcore; i < subcores_.size(); ++i) {
    const Share& its = share(i, unit);
    Cycle free = pipelines_[its.first].free;
    for (std::size_t n = 1; n < its.count; ++n) free = std::min(free, pipelines_[its.first + n].free);
    subcores_[i].free[unit] = free;
    subcores_[i].all_free = std::max(subcores_[i].all_free, free);
    if (!is_shared_[unit]) return;
  }
}

void SubcoreUnits::set_memory_free(Subcore& subcore, Cycle cycle) {
  subcore.free[kMemory] = cycle;
  subcore.all_free = *std::max_element(subcore.free.begin(), subcore.free.end());
}

WarpMask SubcoreUnits::with_free_unit(const Subcore& subcore, const IssueTable& table, Cycle now) {
  std::uint32_t closed = 0;
  for (std::size_t unit = 0; unit < kUnitKinds; ++unit)
    closed |= (subcore.free[unit] > now ? 1u : 0u) << unit;
  return ~table.with_next_on(closed);
}

WarpMask SubcoreUnits::open(const IssueTable& table, Cycle now) const {
  WarpMask warps = 0;
  for (std::size_t i = 0; i < subcores_.size(); ++i) warps |= open(i, table, now) & warps_of(i);
  return warps;
}

// The compiler keeps an operand in the reuse cache if the next instruction of the warp has it at the same
// place (section 5.3.1). Instructions without control bits do not say so, and are taken to be compiled well.
inline RegisterPorts::Reads SubcoreUnits::reads_of(Subcore& subcore, const UnitInstruction& instruction) {
  const Instruction& code = *instruction.code;
  const BankCounts banks = BankCounts::of(code.read_banks, 2, 0);
  RegisterPorts::Reads reads{banks.of_bank(0), banks.of_bank(1)};
  const std::vector<RegisterId>& mine = code.sources();
  const std::size_t count = std::min(mine.size(), kOperands);
  if (subcore.last_warp == instruction.warp)
    for (std::size_t i = 0; i < std::min<std::size_t>(count, subcore.last_count); ++i)
      if (mine[i] == subcore.last[i] && reads[mine[i] % 2] > 0) --reads[mine[i] % 2];
  subcore.last_warp = instruction.warp;
  subcore.last_count = static_cast<std::uint8_t>(count);
  for (std::size_t i = 0; i < count; ++i) subcore.last[i] = mine[i];
  return reads;
}

void SubcoreUnits::issue(const UnitInstruction& instruction, Cycle now) {
  if (instruction.unit == UnitKind::kMemory)
    issue_memory(instruction, now);
  else
    issue_fixed(instruction, now);
}

void SubcoreUnits::issue_fixed(const UnitInstruction& instruction, Cycle now) {
  const std::size_t number = subcore_of(instruction.warp);
  Subcore& subcore = subcores_[number];
  const Cycle enters = std::max(now + kToAllocate, subcore.allocated + 1);
  const RegisterPorts::Reads reads = instruction.code->control.is_known
                                         ? subcore.reuse.read(*instruction.code, instruction.warp)
                                         : reads_of(subcore, instruction);
  const Cycle allocated = subcore.ports.allocate(reads, enters);
  bank_conflicts_ += allocated - enters;
  const Cycle from = allocated - kToAllocate;  // as if it had issued in this cycle without being held
  const UnitTiming timing = timings_[static_cast<std::size_t>(instruction.operation)].of(instruction);
  Pipeline& pipeline = first_free(number, static_cast<std::size_t>(instruction.unit));
  pipeline.free = from + timing.interval;
  pipeline.busy += timing.interval;
  update_free(number, static_cast<std::size_t>(instruction.unit));
  subcore.control = enters - 1;
  if (subcore.control <= now) subcore.control = now + 1;
  subcore.allocated = allocated;
  results_.book(instruction, from + timing.latency);
  if (tracer_ != nullptr) {
    tracer_->read(instruction, allocated);
    tracer_->dispatch(instruction, allocated + RegisterPorts::kWindow);
  }
}

void SubcoreUnits::issue_memory(const UnitInstruction& instruction, Cycle now) {
  Subcore& subcore = subcores_[subcore_of(instruction.warp)];
  const BankCounts banks = BankCounts::of(instruction.code->read_banks, 2, 0);
  const Cycle read = subcore.ports.read({banks.of_bank(0), banks.of_bank(1)}, now + kToAllocate);
  if (tracer_ != nullptr) tracer_->read(instruction, read);
  subcore.control = now + 1;
  subcore.memory.push({instruction, std::max(read + 1, now + spec_.memory_latency)});
  if (subcore.memory.full()) set_memory_free(subcore, Cycle::never());
  reads_.add(instruction.warp, *instruction.code);
  find_memory_due();
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
  subcore.memory.pop();
  set_memory_free(subcore, now);
  subcore.left = now + spec_.memory_interval;
  memory_turn_ = (i + 1) % subcores_.size();
  memory_port_ = now + spec_.memory_port;
  reads_.remove(instruction.warp, *instruction.code);
  if (tracer_ != nullptr) tracer_->dispatch(instruction, now);
  find_memory_due();
  return instruction;
}

LoadWrite SubcoreUnits::write_load(const Instruction& code, std::uint32_t warp, Cycle now) {
  const std::uint32_t registers = code.register_writes;
  if (registers == 0) return LoadWrite::kDone;
  Subcore& subcore = subcores_[subcore_of(warp)];
  if (subcore.write_port > now) return LoadWrite::kWaits;
  subcore.write_port = now + std::uint64_t{spec_.load_interval} * registers;
  if (registers == 1) return LoadWrite::kDone;
  results_.book({&code, 0, static_cast<std::uint16_t>(warp), UnitKind::kMemory, code.operation},
                now + std::uint64_t{spec_.load_interval} * (registers - 1));
  return LoadWrite::kLater;
}

Cycle SubcoreUnits::next_wake(WarpMask ready, const IssueTable& table, bool memory_has_room,
                              Cycle now) const {
  Cycle next = results_.next(now);
  if (memory_has_room) next = std::min(next, std::max(memory_due_, now + 1));
  for (std::size_t i = 0; ready != 0 && i < subcores_.size(); ++i) {
    const WarpMask mine = ready & warps_of(i);
    const Cycle from = std::max(subcores_[i].control, now + 1);
    for (std::size_t unit = 0; mine != 0 && unit < kUnitKinds; ++unit)
      if ((table.next.next_on[unit] & mine) != 0)
        next = std::min(next, std::max(from, subcores_[i].free[unit]));
  }
  return next;
}

std::uint64_t SubcoreUnits::busy_cycles(UnitKind unit, Cycle now) const {
  const auto i = static_cast<std::size_t>(unit);
  std::uint64_t busy = 0;
  for (std::size_t n = first_of_unit_[i]; n < first_of_unit_[i + 1]; ++n)
    busy += pipelines_[n].busy - (pipelines_[n].free > now ? pipelines_[n].free - now : 0);
  return busy;
}

}  // namespace heddle
