#include "models/gpu/peak_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/core/kernel/instruction.h"

namespace heddle {

namespace {

constexpr double kJouleOfFj = 1e-15;

// Sums up events at their rates per second, and static powers.
class PowerSum {
 public:
  explicit PowerSum(const EnergySpec& spec) : spec_(spec) {}

  double energy(const std::string& event) const { return spec_.events[event_number(event)].value; }
  void add_event(const std::string& event, double per_second) {
    watts_ += energy(event) * kJouleOfFj * per_second;
  }
  void add_static(const std::string& power, double times) {
    watts_ += spec_.powers[static_number(power)].value * 1e-3 * times;
  }
  double watts() const { return watts_; }

 private:
  const EnergySpec& spec_;
  double watts_ = 0;
};

// Returns the instructions that a unit takes in a cycle at most.
double most_instructions(const ExecutionSpec& sm, std::size_t unit) {
  if (static_cast<UnitKind>(unit) == UnitKind::kMemory) return sm.units[unit].count;
  std::uint32_t interval = 0;
  for (const OperationSpec& operation : sm.operations)
    if (static_cast<std::size_t>(operation.unit) == unit)
      interval = interval == 0 ? operation.interval : std::min(interval, operation.interval);
  return interval == 0 ? 0 : static_cast<double>(sm.units[unit].count) / interval;
}

// Returns the products of matrices that the tensor unit makes in a cycle at most.
double most_tensor_products(const ExecutionSpec& sm) {
  const std::uint32_t units = sm.units[static_cast<std::size_t>(UnitKind::kTensor)].count;
  double most = 0;
  for (const auto& [operation, products] :
       {std::pair{Operation::kTensor, 1}, {Operation::kTensorWide, 2}, {Operation::kTensorGroup, 2}}) {
    const OperationSpec& spec = sm.operations[static_cast<std::size_t>(operation)];
    if (spec.unit == UnitKind::kTensor && spec.interval != 0)
      most = std::max(most, static_cast<double>(units * products) / spec.interval);
  }
  return most;
}

// Adds the SMs at work. `cycles` is the number of core cycles of all SMs in a second.
void add_sms(PowerSum& sum, const ExecutionSpec& sm, double cycles) {
  double instructions = 0;
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    // The energies have no events for the uniform datapath. Its operations count as integer operations.
    const auto kind = static_cast<UnitKind>(i);
    const std::string unit = name_of(kind == UnitKind::kUniform ? UnitKind::kInt : kind);
    const double of_unit = most_instructions(sm, i);
    sum.add_event(unit + "_instruction", of_unit * cycles);
    sum.add_event(unit + "_lane", of_unit * kLanes * cycles);
    instructions += of_unit;
  }
  sum.add_event("tensor_product", most_tensor_products(sm) * cycles);
  sum.add_event("operand_collector", instructions * cycles);
  sum.add_event("fetch", cycles);
  sum.add_event("register_read", sm.register_banks * cycles);
  sum.add_event("register_write", sm.writebacks * cycles);
  std::string dearest = "shared_pass";
  for (const char* access : {"l1_access", "constant_access", "texture_access"})
    if (sum.energy(access) > sum.energy(dearest)) dearest = access;
  sum.add_event(dearest, cycles);
}

void add_refreshes(PowerSum& sum, const MemoryPathSpec& memory) {
  if (!memory.dram.refresh) return;
  const DramTiming& timing = memory.dram.timing;
  const bool by_bank = memory.dram.refresh_by_bank;
  const std::uint32_t interval = by_bank ? timing.bank_refresh_interval() : timing.refresh_interval();
  sum.add_event(by_bank ? "dram_refresh_bank" : "dram_refresh",
                memory.dram.pseudo_channels() * memory.dram_hz / interval);
}

void add_memory(PowerSum& sum, const MemoryPathSpec& memory, std::uint32_t sms) {
  const double flits = 2.0 * std::min(sms, memory.slices()) * memory.icnt_hz;
  sum.add_event("crossbar_flit", flits);
  sum.add_event("crossbar_hop", flits);
  sum.add_event("l2_sector", memory.slices() * memory.l2_hz * memory.l2.width / L2Spec::kSectorBytes);
  const DramTiming& timing = memory.dram.timing;
  const double commands = memory.dram.pseudo_channels() * memory.dram_hz;
  sum.add_event(sum.energy("dram_read") < sum.energy("dram_write") ? "dram_write" : "dram_read",
                commands / timing.burst());
  sum.add_event("dram_activate", commands / timing.distance(DramCommand::kActivate, DramCommand::kActivate,
                                                            TimingScope::kAll));
  add_refreshes(sum, memory);
}

// Adds what is on whatever runs.
void add_always_on(PowerSum& sum, const MemoryPathSpec& memory) {
  sum.add_static("crossbar", 1);
  sum.add_static("l2_slice", memory.slices());
  sum.add_static("other", 1);
}

}  // namespace

EnergyMachine energy_machine(const GpuSpec& spec) {
  const MemoryPathSpec& memory = *spec.memory;
  return {spec.sm.count,
          memory.slices(),
          memory.dram.map.channels,
          memory.dram.map.pseudo_channels(),
          {period_ps(spec.core_hz), period_ps(memory.icnt_hz), period_ps(memory.l2_hz),
           period_ps(memory.dram_hz)},
          memory.dram.refresh && memory.dram.refresh_by_bank};
}

std::string energy_misfit(const EnergySpec& energy, const DramSpec& dram) {
  if (!dram.refresh || !dram.refresh_by_bank ||
      !energy.events[event_number("dram_refresh_bank")].source.empty())
    return "";
  return "the set of energies has the refresh of all banks, not that of one bank (dram_refresh_bank)";
}

std::string foreign_energies(const EnergySpec& energy, const GpuSpec& spec) {
  const std::string dram = spec.memory->dram.timing.exists() ? spec.memory->dram.timing.standard().name : "";
  const std::uint32_t capability = energy.compute_capability;
  std::string text;
  if (capability != 0 && spec.compute_capability != 0 && capability / 10 != spec.compute_capability / 10)
    text = fmt::format("SMs of compute capability {:.1f} on '{}', which has {:.1f}", capability / 10.0,
                       spec.name, spec.compute_capability / 10.0);
  if (!energy.dram.empty() && !dram.empty() && energy.dram != dram)
    text += fmt::format("{}DRAM of the standard {} on '{}', which has {}", text.empty() ? "" : "; ",
                        energy.dram, spec.name, dram);
  if (text.empty()) return "";
  return fmt::format("the energies are of another card{}: {}",
                     energy.about.empty() ? "" : fmt::format(" ({})", energy.about), text);
}

double idle_watts(const GpuSpec& spec) {
  PowerSum sum(*spec.energy);
  sum.add_static("sm_asleep", spec.sm.count);
  sum.add_static("dram_closed", spec.memory->dram.pseudo_channels());
  add_always_on(sum, *spec.memory);
  add_refreshes(sum, *spec.memory);
  return sum.watts();
}

double peak_watts(const GpuSpec& spec) {
  PowerSum sum(*spec.energy);
  sum.add_static("sm_awake", spec.sm.count);
  sum.add_static("dram_open", spec.memory->dram.pseudo_channels());
  add_always_on(sum, *spec.memory);
  add_sms(sum, *spec.sm.execution(), spec.sm.count * spec.core_hz);
  add_memory(sum, *spec.memory, spec.sm.count);
  sum.add_event("pcie_byte", 2.0 * spec.pcie.bytes_per_cycle() * spec.pcie_hz);
  return sum.watts();
}

}  // namespace heddle
