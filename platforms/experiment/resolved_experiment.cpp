// This file writes an experiment as YAML with everything resolved.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "platforms/experiment/experiment.h"

namespace heddle {

namespace {

using Policies = std::map<std::string, PolicyChoice>;

std::string picoseconds(std::uint64_t ps) {
  return fmt::format("{}ps", ps);
}

void emit_mix(YAML::Emitter& out, const Experiment& experiment) {
  const MixSpec& mix = experiment.mix_spec;
  out << YAML::Key << "mix" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "size" << YAML::Value << fmt::format("{}", mix.size);
  out << YAML::Key << "seed" << YAML::Value << fmt::format("{}", mix.seed);
  out << YAML::Key << "index" << YAML::Value << fmt::format("{}", mix.index);
  out << YAML::Key << "category" << YAML::Value << mix.category;
  out << YAML::Key << "from" << YAML::Value << YAML::Flow << mix.from << YAML::EndMap;
}

// What the application's own file says is not repeated.
void emit_requests(YAML::Emitter& out, const Experiment& experiment, const ExperimentApplication& use) {
  YAML::Node arrivals = YAML::Load(use.stated_arrivals.empty() ? "{}" : use.stated_arrivals);
  if (use.requests && use.request_seed) arrivals["seed"] = *use.request_seed;
  if (arrivals.size() > 0) out << YAML::Key << "arrivals" << YAML::Value << arrivals;
  if (!use.stated_parameters.empty())
    out << YAML::Key << "parameters" << YAML::Value << YAML::Load(use.stated_parameters);
  if (!use.stated_batching.empty())
    out << YAML::Key << "batching" << YAML::Value << YAML::Load(use.stated_batching);
  if (use.takes_over) {
    out << YAML::Key << "takes_over" << YAML::Value << YAML::BeginMap;
    out << YAML::Key << "from" << YAML::Value
        << experiment.applications[use.takes_over->from].application.program.name;
    out << YAML::Key << "latency" << YAML::Value << picoseconds(use.takes_over->latency_ps);
    out << YAML::Key << "token" << YAML::Value << picoseconds(use.takes_over->token_ps) << YAML::EndMap;
  }
}

void emit_applications(YAML::Emitter& out, const Experiment& experiment) {
  out << YAML::Key << "applications" << YAML::Value << YAML::BeginSeq;
  for (const ExperimentApplication& use : experiment.applications) {
    out << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << "application" << YAML::Value
        << (use.recording.empty() ? fmt::format("applications/{}.yaml", use.application.program.name)
                                  : use.recording);
    if (use.named) out << YAML::Key << "name" << YAML::Value << use.application.program.name;
    if (!use.registers.empty()) out << YAML::Key << "registers" << YAML::Value << use.registers;
    if (!use.launches.empty())
      out << YAML::Key << "launches" << YAML::Value << YAML::DoubleQuoted << use.launches;
    if (use.restartable) out << YAML::Key << "restartable" << YAML::Value << *use.restartable;
    out << YAML::Key << "priority" << YAML::Value << use.priority;
    out << YAML::Key << "start" << YAML::Value << picoseconds(use.start_ps);
    emit_requests(out, experiment, use);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

void emit_value(YAML::Emitter& out, const PolicyValue& value) {
  if (value.is_lists() && !value.lists().empty())
    out << value.lists();
  else
    out << value.text();
}

void emit_policies(YAML::Emitter& out, const Policies& policies, const std::string& label) {
  out << YAML::BeginMap;
  if (!label.empty()) out << YAML::Key << "label" << YAML::Value << YAML::DoubleQuoted << label;
  for (const auto& [decision, choice] : policies) {
    out << YAML::Key << decision << YAML::Value << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << "name" << YAML::Value << choice.name;
    for (const auto& [parameter, value] : choice.parameters) {
      out << YAML::Key << parameter << YAML::Value;
      emit_value(out, value);
    }
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

void emit_variants(YAML::Emitter& out, const Experiment& experiment) {
  out << YAML::Key << "compare" << YAML::Value << YAML::BeginSeq;
  for (std::size_t i = 0; i < experiment.variants.size(); ++i)
    emit_policies(out, experiment.variants[i], experiment.labels[i]);
  out << YAML::EndSeq;
}

}  // namespace

std::string resolved_yaml(const Experiment& experiment) {
  YAML::Emitter out;
  const auto entry = [&](const char* key, const std::string& value) {
    out << YAML::Key << key << YAML::Value << value;
  };
  out << YAML::Comment("as run: every default filled in, every override applied") << YAML::Newline
      << YAML::BeginMap;
  entry("experiment", experiment.name);
  out << YAML::Key << "question" << YAML::Value << YAML::DoubleQuoted << experiment.question;
  entry("platform", "platform.yaml");
  if (experiment.mix.empty())
    emit_applications(out, experiment);
  else
    emit_mix(out, experiment);
  entry("prioritised", experiment.prioritised
                           ? experiment.applications[*experiment.prioritised].application.program.name
                           : "none");
  emit_variants(out, experiment);
  entry("termination", experiment.window_cycles != 0 ? "instructions"
                       : experiment.replay           ? "first-completions"
                                                     : "once-each");
  if (experiment.window_cycles != 0) entry("window", fmt::format("{}cycles", experiment.window_cycles));
  entry("replay_priority", experiment.keep_priority ? "keep" : "lowest");
  entry("copies", experiment.copies ? "true" : "false");
  entry("cpu_phases", experiment.cpu_phases ? "true" : "false");
  if (experiment.start_together) entry("start", "together");
  entry("starvation_limit", picoseconds(experiment.starvation_limit_ps));
  entry("jitter", fmt::format("{}", experiment.jitter_permille / 1000.0));
  entry("seed", fmt::format("{}", experiment.seed));
  out << YAML::EndMap;
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace heddle
