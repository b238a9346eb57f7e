// This file builds the machines that run an experiment.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/core/base/random.h"
#include "platforms/experiment/experiment.h"
#include "platforms/experiment/rtl_libraries.h"
#include "policies/instances/i_instances.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

namespace {

using Policies = std::map<std::string, PolicyChoice>;

// Returns the tokens of an application (CUsched, Sections IV-A and IV-D). The tokens are shared out evenly,
// and their sum is at most the number of SMs. A prioritised application gets all of them.
std::int32_t tokens_for(const Experiment& experiment, std::size_t application) {
  const auto sms = static_cast<std::int32_t>(experiment.platform.sm.count);
  if (experiment.prioritised) return application == *experiment.prioritised ? sms : 0;
  return sms / static_cast<std::int32_t>(experiment.applications.size());
}

HostProcessSpec process_for(const Experiment& experiment, std::size_t index) {
  const ExperimentApplication& use = experiment.applications[index];
  HostProcessSpec process;
  process.number = static_cast<std::uint32_t>(index);
  process.program = use.application.program;
  process.priority = use.priority;
  process.tokens = tokens_for(experiment, index);
  process.start_ps = use.start_ps;
  process.seed = experiment.seed + index;
  process.copies = experiment.copies;
  process.cpu_phases = experiment.cpu_phases;
  process.replay = experiment.replay;
  process.starts_together = experiment.start_together && !use.requests;
  process.is_halted = experiment.window_cycles != 0;
  process.target_instructions = use.target_instructions;
  process.replay_priority = process.priority;
  process.replay_tokens = process.tokens;
  process.requests = use.requests;
  if (process.requests) process.requests->seed = request_seed(experiment, index);
  process.takes_over = use.takes_over;
  return process;
}

// Returns whether variants of the experiment differ in the decision.
bool varies(const Experiment& experiment, const std::string& decision) {
  const PolicyChoice& first = experiment.variants.front().at(decision);
  return std::any_of(experiment.variants.begin(), experiment.variants.end(),
                     [&](const Policies& other) { return other.at(decision) != first; });
}

// Whether the run has the platform's policy. A platform that leaves the decision out has its fallback.
bool is_the_platforms(const Experiment& experiment, const std::string& decision, const PolicyChoice& choice) {
  const auto own = experiment.naming.policies.find(decision);
  if (own != experiment.naming.policies.end()) return own->second == choice;
  const char* fallback = PolicyCatalogue::instance().fallback(decision);
  return fallback != nullptr && choice.name == fallback;
}

// Returns the words for a policy of a run: the name, of an SM partitioner without its decision, and the
// parameters that the name leaves unsaid. Beside the platform's policy of the same name those are the ones
// that differ from it, and else the ones that differ from the defaults.
std::vector<std::string> words_of(const Experiment& experiment, const std::string& decision,
                                  const PolicyChoice& choice, bool is_only) {
  std::vector<std::string> words{
      decision == SmPartitioner::kDecision ? choice.name : fmt::format("{}={}", decision, choice.name)};
  const auto own = experiment.naming.policies.find(decision);
  const bool beside_own =
      is_only && own != experiment.naming.policies.end() && own->second.name == choice.name;
  for (const PolicyParameter& parameter :
       PolicyCatalogue::instance().info(decision, choice.name).parameters) {
    const PolicyValue& unsaid = beside_own ? own->second.parameters.at(parameter.name) : parameter.fallback;
    if (const PolicyValue& value = choice.parameters.at(parameter.name); value != unsaid)
      words.push_back(fmt::format("{}={}", parameter.name, value.text()));
  }
  return words;
}

}  // namespace

std::uint64_t request_seed(const Experiment& experiment, std::size_t application) {
  const std::optional<std::uint64_t>& stated = experiment.applications[application].request_seed;
  return stated ? *stated : Random(experiment.seed).fork(fmt::format("process {}", application)).next();
}

bool draws_times(const Experiment& experiment) {
  const auto draws = [](const ExperimentApplication& use) {
    if (use.requests && !use.request_seed && use.requests->draws()) return true;
    return std::any_of(use.application.program.kernels.begin(), use.application.program.kernels.end(),
                       [](const ApiKernel& kernel) { return kernel.jitter_permille > 0; });
  };
  return std::any_of(experiment.applications.begin(), experiment.applications.end(), draws);
}

bool needs_targets(const Experiment& experiment) {
  return experiment.window_cycles != 0 && experiment.applications.size() > 1;
}

MachineSpec machine_for(const Experiment& experiment, const Policies& policies) {
  MachineSpec machine;
  machine.gpu = experiment.platform;
  machine.gpu.policies = policies;
  machine.starvation_limit_ps = experiment.starvation_limit_ps;
  make_rtl_libraries(machine.gpu);
  if (!needs_targets(experiment)) machine.window_cycles = experiment.window_cycles;
  for (std::size_t i = 0; i < experiment.applications.size(); ++i)
    machine.processes.push_back(process_for(experiment, i));
  if (experiment.keep_priority) return machine;
  const auto lowest = std::min_element(machine.processes.begin(), machine.processes.end(),
                                       [](const auto& a, const auto& b) { return a.priority < b.priority; });
  for (HostProcessSpec& process : machine.processes) {
    process.replay_priority = lowest->priority;
    process.replay_tokens = std::min(process.tokens, lowest->tokens);
  }
  return machine;
}

MachineSpec machine_alone(const Experiment& experiment, std::size_t application) {
  MachineSpec machine;
  machine.gpu = experiment.platform;
  machine.gpu.policies.erase(Instances::kDecision);
  if (machine.gpu.memory) machine.gpu.memory->clear_shares();
  make_rtl_libraries(machine.gpu);
  machine.starvation_limit_ps = experiment.starvation_limit_ps;
  HostProcessSpec process = process_for(experiment, application);
  process.number = 0;
  process.priority = 0;
  process.tokens = static_cast<std::int32_t>(experiment.platform.sm.count);
  process.start_ps = 0;
  process.target_instructions = 0;
  process.takes_over.reset();
  process.replay = experiment.window_cycles != 0;
  machine.window_cycles = experiment.window_cycles;
  machine.processes.push_back(process);
  return machine;
}

std::string variant_label(const Experiment& experiment, std::size_t variant) {
  if (!experiment.labels[variant].empty()) return experiment.labels[variant];
  const bool is_only = experiment.variants.size() == 1;
  std::vector<std::string> parts;
  for (const auto& [decision, choice] : experiment.variants[variant]) {
    if (is_only ? is_the_platforms(experiment, decision, choice) : !varies(experiment, decision)) continue;
    const std::vector<std::string> words = words_of(experiment, decision, choice, is_only);
    parts.insert(decision == SmPartitioner::kDecision ? parts.begin() : parts.end(), words.begin(),
                 words.end());
  }
  if (is_only) parts.insert(parts.end(), experiment.naming.sets.begin(), experiment.naming.sets.end());
  if (parts.empty()) return experiment.naming.unchanged;
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace heddle
