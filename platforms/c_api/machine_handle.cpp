#include "platforms/c_api/machine_handle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/core/base/systemc_reports.h"
#include "models/core/config/config.h"
#include "platforms/c_api/open_options.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

namespace {

// Beyond it a time may not fit SystemC's 64 bits.
constexpr std::uint64_t kMostCycles = 1'000'000'000'000'000;

// The processes of a module stay in SystemC when the module is gone, so a machine stays to the end of the
// process, and is not destroyed there.
struct OwnMachine {
  bool is_begun = false;  // its constructor has been called
  std::unique_ptr<Machine> machine;
};
OwnMachine& own_machine() {
  static OwnMachine& own = *new OwnMachine;
  return own;
}

void check_process() {
  if (sc_core::sc_start_of_simulation_invoked() || own_machine().is_begun)
    throw BadCall(
        "SystemC elaborates once in a process, and this process has had a machine; heddle_reset() runs the "
        "same "
        "machine again, and another one needs another process");
}

void check_cycles(std::uint64_t cycles) {
  if (cycles > kMostCycles) throw BadCall(fmt::format("{} cycles are more than {}", cycles, kMostCycles));
}

// Returns the cycle whose edge comes next. Only a run that has ended may stand at the edge itself.
std::uint64_t standing_at(const ClockDomain& clock) {
  return clock.edge_at(sc_core::sc_time_stamp()).value;
}

std::string operands(const Statistic& statistic, const std::vector<Formula::Operand>& list) {
  std::vector<std::string> paths;
  for (const Formula::Operand& operand : list) paths.push_back(statistic.path_of(operand));
  return fmt::format("{}", fmt::join(paths, " + "));
}

// Returns why there is no counter of this name.
std::string why_no_counter(const Group& stats, const std::string& name) {
  std::string formula;
  std::vector<std::string> known;
  stats.visit([&](const Statistic& statistic) {
    if (!statistic.is_formula()) known.push_back(statistic.path);
    if (statistic.is_formula() && statistic.path == name)
      formula = fmt::format("'{}' is no counter but {} * ({}) / ({}), whose operands are counters", name,
                            statistic.formula->scale(), operands(statistic, statistic.formula->numerator()),
                            operands(statistic, statistic.formula->denominator()));
  });
  if (!formula.empty()) return formula;
  const std::string nearest = config::nearest_name(name, known);
  return fmt::format("there is no counter '{}'{}", name,
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

}  // namespace

std::unique_ptr<MachineHandle> MachineHandle::open(const std::string& name, const std::string& options) {
  check_process();
  const OpenOptions read = read_open_options(options);
  const Experiment experiment = load_experiment(name, read.overrides);
  const std::size_t variant = choose_variant(experiment, read.variant);
  if (needs_targets(experiment))
    throw BadCall(
        fmt::format("{} ends by instructions, which takes runs of its applications alone first; only "
                    "heddle run does that",
                    experiment.name));
  route_systemc_reports();
  const MachineSpec spec = machine_for(experiment, experiment.variants[variant]);
  own_machine().is_begun = true;
  own_machine().machine = std::make_unique<Machine>("machine", spec);
  return std::unique_ptr<MachineHandle>(new MachineHandle(*own_machine().machine));
}

void MachineHandle::reset() {
  machine_.reset();
  checked_ = false;
  stats_ = nullptr;
}

std::vector<const ClockDomain*> MachineHandle::clocks() const {
  const Gpu& gpu = machine_.gpu();
  std::vector<const ClockDomain*> clocks{&gpu.core(), &gpu.pcie()};
  if (const MemoryPath* memory = gpu.memory())
    clocks.insert(clocks.end(), {&memory->icnt(), &memory->l2(), &memory->dram()});
  return clocks;
}

std::string MachineHandle::list(const std::string& what) {
  std::string table;
  if (what == "counters") {
    stats().visit([&](const Statistic& statistic) {
      if (!statistic.is_formula())
        table += fmt::format("{}\t{}\t{}\n", statistic.path, statistic.unit, statistic.description);
    });
  } else if (what == "clocks") {
    for (const ClockDomain* clock : clocks())
      table += fmt::format("{}\t{:.0f}\n", clock->basename(), clock->frequency_hz());
  } else {
    refuse_list(what, "counters, clocks");
  }
  return table;
}

bool MachineHandle::step(std::uint64_t cycles) {
  check_cycles(cycles);
  return run_to(standing_at(machine_.gpu().core()) + cycles);
}

bool MachineHandle::run_to(std::uint64_t cycle) {
  check_cycles(cycle);
  return run_until(Cycle{cycle});
}

bool MachineHandle::run_to_end() {
  return run_until(Cycle::never());
}

bool MachineHandle::run_until(Cycle end) {
  if (sc_core::sc_get_status() == sc_core::SC_RUNNING)
    throw BadCall("SystemC is simulating already: a process of SystemC cannot step a machine");
  machine_.run_to(end);
  stats_ = nullptr;
  if (!machine_.failure().empty()) throw std::runtime_error(machine_.failure());
  if (!machine_.done() || checked_) return machine_.done();
  machine_.check_conservation();
  checked_ = true;
  return true;
}

std::uint64_t MachineHandle::now(const std::string& name) {
  std::vector<std::string> known;
  for (const ClockDomain* clock : clocks()) {
    if (clock->basename() == name) return standing_at(*clock);
    known.emplace_back(clock->basename());
  }
  throw BadCall(fmt::format("the machine has no clock '{}'; known: {}", name, fmt::join(known, ", ")));
}

std::uint64_t MachineHandle::counter(const std::string& name) {
  const Counter* counter = stats().find(name);
  if (counter == nullptr) throw BadCall(why_no_counter(stats(), name));
  return counter->value();
}

const Group& MachineHandle::stats() {
  if (stats_ == nullptr) stats_ = &machine_.stats();
  return *stats_;
}

}  // namespace heddle
