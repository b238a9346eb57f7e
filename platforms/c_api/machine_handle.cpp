#include "platforms/c_api/machine_handle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/core/base/systemc_reports.h"
#include "models/core/config/data_path.h"
#include "models/gpu/instance_spec.h"
#include "platforms/c_api/counter_names.h"
#include "platforms/c_api/elaboration.h"
#include "platforms/c_api/open_options.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

namespace {

// The machine of this process; see elaboration.h. It is not destroyed at the end of the process.
std::unique_ptr<Machine>& own_machine() {
  static auto& machine = *new std::unique_ptr<Machine>;
  return machine;
}

}  // namespace

std::unique_ptr<MachineHandle> MachineHandle::open(const std::string& name, const std::string& options) {
  std::vector<std::string> known = Overrides::names();
  known.emplace_back("--variant");
  const OpenOptions read = read_open_options(options, known);
  LoadOptions load;
  load.cache = user_cache_folder();
  const Experiment experiment = load_experiment(name, read.overrides, load);
  const std::size_t variant = choose_variant(experiment, read.variant);
  if (needs_targets(experiment))
    throw BadCall(
        fmt::format("{} ends by instructions, which takes runs of its applications alone first; only "
                    "heddle run does that",
                    experiment.name));
  route_systemc_reports();
  const MachineSpec spec = machine_for(experiment, experiment.variants[variant]);
  if (!instances_of(spec.gpu, spec.gpu.policies, spec.processes.size()).empty())
    throw BadCall(
        fmt::format("{} splits the GPU into instances, and a machine is one GPU; only heddle run does that",
                    experiment.name));
  claim_machine();
  own_machine() = std::make_unique<Machine>("machine", spec);
  return std::unique_ptr<MachineHandle>(new MachineHandle(*own_machine()));
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
  if (what == "counters") return table_of(stats());
  if (what != "clocks") refuse_list(what, "counters, clocks");
  std::string table;
  for (const ClockDomain* clock : clocks())
    table += fmt::format("{}\t{:.0f}\n", clock->basename(), clock->frequency_hz());
  return table;
}

bool MachineHandle::step(std::uint64_t cycles) {
  check_step(cycles);
  return run_to(standing_at(machine_.gpu().core()).value + cycles);
}

bool MachineHandle::run_to(std::uint64_t cycle) {
  check_step(cycle);
  return run_until(Cycle{cycle});
}

bool MachineHandle::run_to_end() {
  check_step(0);
  return run_until(Cycle::never());
}

bool MachineHandle::run_until(Cycle end) {
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
    if (clock->basename() == name) return standing_at(*clock).value;
    known.emplace_back(clock->basename());
  }
  throw BadCall(fmt::format("the machine has no clock '{}'; known: {}", name, fmt::join(known, ", ")));
}

std::uint64_t MachineHandle::counter(const std::string& name) {
  return counter_of(stats(), name);
}

const Group& MachineHandle::stats() {
  if (stats_ == nullptr) stats_ = &machine_.stats();
  return *stats_;
}

}  // namespace heddle
