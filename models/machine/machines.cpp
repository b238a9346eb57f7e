#include "models/machine/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/gpu/instance_spec.h"

namespace heddle {

namespace {

constexpr const char* kInstance = "instance";  // the names of instances are this and a number

// Returns the machine of an instance, with the processes of these numbers in `whole`. A process has no more
// tokens than its even share of the SMs of the instance.
MachineSpec machine_of(const MachineSpec& whole, const Instance& instance) {
  MachineSpec spec = whole;
  spec.gpu = spec_of(whole.gpu, instance);
  spec.processes.clear();
  const auto share = static_cast<std::int32_t>(instance.sms / instance.applications.size());
  for (const std::size_t number : instance.applications) {
    HostProcessSpec& process = spec.processes.emplace_back(whole.processes[number]);
    process.number = static_cast<std::uint32_t>(spec.processes.size() - 1);
    process.tokens = std::min(process.tokens, share);
    process.replay_tokens = std::min(process.replay_tokens, share);
  }
  spec.servers_elsewhere =
      std::any_of(whole.processes.begin(), whole.processes.end(),
                  [](const HostProcessSpec& other) { return other.requests.has_value(); });
  return spec;
}

}  // namespace

Machines::Machines(const MachineSpec& spec, const GpuOptions& options) : spec_(spec) {
  const std::vector<Instance> instances = instances_of(spec_.gpu, spec_.gpu.policies, spec_.processes.size());
  is_split_ = !instances.empty();
  if (!is_split_) {
    machines_.push_back(std::make_unique<Machine>("machine", spec_, options));
    processes_.emplace_back(spec_.processes.size());
    std::iota(processes_.front().begin(), processes_.front().end(), std::size_t{0});
  }
  GpuOptions of_instance = options;
  if (spec_.gpu.pcie.is_shared) of_instance.link_turns = &link_turns_;
  for (const Instance& instance : instances) {
    MachineSpec own = machine_of(spec_, instance);
    own.instance = fmt::format("{}{}", kInstance, machines_.size());
    machines_.push_back(std::make_unique<Machine>(own.instance.c_str(), own, of_instance));
    processes_.push_back(instance.applications);
    stats_.attach(machines_.back()->stats());
  }
  const auto goes_on = [this] { return !done() && failure().empty(); };
  for (const auto& machine : machines_)
    machine->on_end([goes_on] {
      if (!goes_on()) sc_core::sc_pause();
    });
  const auto check_progress = [this] {
    for (const auto& machine : machines_) machine->check_progress();
  };
  const auto go_ahead = [this](const sc_core::sc_time& limit) {
    for (const auto& machine : machines_) machine->gpu().go_ahead_until(limit);
  };
  loop_ = std::make_unique<RunLoop>(RunLoop::Deps{core(), goes_on, check_progress, go_ahead});
}

void Machines::run(const std::function<void()>& progress, Cycle end) {
  loop_->run_to(end, progress);
}

std::string Machines::places() const {
  std::string text;
  for (const auto& machine : machines_) text += machine->places();
  return text;
}

bool Machines::done() const {
  return std::all_of(machines_.begin(), machines_.end(), [](const auto& machine) { return machine->done(); });
}

std::string Machines::failure() const {
  for (const auto& machine : machines_)
    if (!machine->failure().empty())
      return is_split_ ? machine->spec().instance + ": " + machine->failure() : machine->failure();
  return "";
}

std::vector<std::string> Machines::patterns_of(std::vector<std::string> patterns) const {
  if (!is_split_) return patterns;
  for (std::string& pattern : patterns)
    if (pattern.rfind(kInstance, 0) != 0) pattern = fmt::format("{}*.{}", kInstance, pattern);
  return patterns;
}

const Group& Machines::stats() {
  if (!is_split_) return machines_.front()->stats();
  for (const auto& machine : machines_) machine->stats();
  return stats_;
}

void Machines::check_conservation() {
  for (const auto& machine : machines_) machine->check_conservation();
}

}  // namespace heddle
