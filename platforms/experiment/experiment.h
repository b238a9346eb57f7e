#pragma once
// An experiment's YAML -> what to run: a platform, applications, and one or more sets of policies. The
// README's "Experiments" shows every key.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/machine/machine_spec.h"
#include "stimuli/application/application.h"

namespace heddle {

struct ExperimentApplication {
  Application application;
  std::string yaml;       // the file as read; empty for a trace
  std::string recording;  // of a trace or a captured program: its file, absolute
  // Of a launch file: files that `yaml` names, and where they lie.
  std::vector<std::pair<std::string, std::string>> files;
  std::int32_t priority = 0;
  std::uint64_t start_ps = 0;
  std::uint64_t target_instructions = 0;  // see Experiment::window_cycles; 0: not known yet
};

struct MixSpec {
  std::size_t size = 0;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  std::vector<std::string> from;  // names, or files as absolute paths
};

struct Experiment {
  std::string name;
  std::string question;
  GpuSpec platform;
  std::string platform_yaml;    // resolved
  std::string experiment_yaml;  // resolved: see resolved_yaml()
  std::vector<ExperimentApplication> applications;
  std::string mix;                         // how the applications were drawn; empty if they were named
  MixSpec mix_spec;                        // of a mix: where the draw comes from
  std::optional<std::size_t> prioritised;  // index of the prioritised application
  // Complete: one choice for each decision, with every parameter of it.
  std::vector<std::map<std::string, PolicyChoice>> variants;
  std::vector<std::string> labels;  // by variant, as given; empty: see variant_label()
  bool replay = true;               // first completions count; false: each runs once
  // Termination by instructions (Warped-Slicer, Section V); 0: not. An application alone runs for so many
  // core cycles with a kernel resident. Beside others it is halted, and what it holds is free, at the number
  // of warp instructions that it has issued then.
  std::uint64_t window_cycles = 0;
  bool keep_priority = false;  // of replayed executions; false: the lowest of the mix
  bool copies = true;
  bool cpu_phases = true;
  std::uint64_t starvation_limit_ps = 0;
  std::uint32_t jitter_permille = 0;
  std::uint64_t seed = 0;
};

// What the command line adds; sets go to the platform where its first key is not one of an experiment's.
struct ExperimentOverrides {
  std::vector<std::string> sets;        // "a.b=value"; "parameters.n=value" goes to launch files
  std::vector<std::string> policies;    // "decision=name": replaces it in every variant
  std::optional<std::string> platform;  // in place of the experiment's
  std::optional<std::uint64_t> seed;
};

// Loads by name or file; a kernels list (*.g) or a launch file is an experiment of one application, run once
// on the platform of the overrides. Throws config::Error with every problem of the first file that has any.
Experiment load_experiment(const std::string& name_or_file, const ExperimentOverrides& overrides = {});

// The experiment as it is run: every default filled in, every override applied, the policies of each run
// complete. Beside its platform.yaml and applications/NAME.yaml, heddle run repeats the run from it.
std::string resolved_yaml(const Experiment& experiment);

// Whether runs of several applications need what each of them does alone: their target_instructions.
bool needs_targets(const Experiment& experiment);

// The machine that runs one variant.
MachineSpec machine_for(const Experiment& experiment, const std::map<std::string, PolicyChoice>& policies);

// The machine that runs one application alone, on the platform's own policies: what others are normalised to.
MachineSpec machine_alone(const Experiment& experiment, std::size_t application);

// Its label, or the decisions in which the variants differ, as "token" or "token, dma_arbiter=priority".
std::string variant_label(const Experiment& experiment, std::size_t variant);

}  // namespace heddle
