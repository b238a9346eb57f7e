#pragma once
// These functions read an experiment's YAML: a platform, applications, and one or more sets of policies. The
// README's "Experiments" shows every key.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/host/requests/hand_over.h"
#include "models/machine/machine_spec.h"
#include "platforms/experiment/overrides.h"
#include "stimuli/application/application.h"

namespace heddle {

struct LoadedInputs;

struct ExperimentApplication {
  Application application;
  std::string yaml;  // text of the file; empty for a trace
  // The absolute path of the file of a trace or a captured program. It is empty for other applications.
  std::string recording;
  std::map<std::string, std::uint32_t>
      registers;                    // of a thread, by kernel of a captured program, where stated
  std::string launches;             // of a trace or a captured program, where stated; see LaunchRanges
  std::optional<bool> restartable;  // whether blocks of its kernels may start over, where stated
  // The files that the `yaml` of a launch file names, and their paths.
  std::vector<std::pair<std::string, std::string>> files;
  bool named = false;    // the experiment gives it its name
  bool checked = false;  // its results are compared with what is expected, and fail a run where they differ
  std::int32_t priority = 0;
  std::uint64_t start_ps = 0;
  std::uint64_t target_instructions = 0;      // warp instructions, see Experiment::window_cycles; 0: unknown
  std::optional<RequestSpec> requests;        // it is a server; request_seed() has the seed
  std::optional<std::uint64_t> request_seed;  // where one is stated
  std::optional<HandOverSpec> takes_over;     // it has the requests of another application; see take_overs.h
  // What the experiment states of `arrivals`, `parameters` and `batching`, as YAML; empty: nothing.
  std::string stated_arrivals;
  std::string stated_parameters;
  std::string stated_batching;
};

struct MixSpec {
  std::size_t size = 0;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  std::string category;           // as the experiment names it
  std::vector<std::string> from;  // names, or absolute paths of files
};

// What the name of a run leaves unsaid, or says beside the policies of the run.
struct RunNaming {
  std::map<std::string, PolicyChoice> policies;  // of the platform, with every parameter
  std::vector<std::string> sets;                 // the keys of the platform that are overridden, "sm.count=8"
  std::string unchanged;                         // names a run that differs in nothing
};

struct Experiment {
  std::string name;
  std::string question;
  GpuSpec platform;
  std::string platform_yaml;  // resolved
  std::vector<ExperimentApplication> applications;
  // This text says how the applications were drawn. It is empty if the experiment names them.
  std::string mix;
  // The source of the draw. It has size 0 without a mix.
  MixSpec mix_spec;
  std::optional<std::size_t> prioritised;  // index of the prioritised application
  // Each variant has one choice for each decision, with every parameter of the policy.
  std::vector<std::map<std::string, PolicyChoice>> variants;
  std::vector<std::string> labels;  // by variant; variant_label() replaces an empty one
  RunNaming naming;
  // An application that has ended starts over until all have completed once; the first completions count.
  // Each application runs once if this flag is false.
  bool replay = true;
  // The window of the termination by instructions (Warped-Slicer, Section V), in core cycles; 0 turns it off.
  // An application alone runs for this number of core cycles with a kernel resident. An application beside
  // others is halted, and its resources are freed, when it has issued as many warp instructions as it issued
  // alone.
  std::uint64_t window_cycles = 0;
  // Replayed executions keep the priority of their application. They get the lowest priority of the mix if
  // this flag is false.
  bool keep_priority = false;
  bool copies = true;
  bool cpu_phases = true;
  // The first launches of all applications that are no servers wait for each other, with the copies before
  // them done. Their turnarounds start there, also alone.
  bool start_together = false;
  std::uint64_t starvation_limit_ps = 0;
  std::uint32_t jitter_permille = 0;
  std::uint64_t seed = 0;
  // What was asked for and does nothing, and `kernel_notes`; for the user, not for results.
  std::vector<std::string> notes;
  std::vector<std::string> kernel_notes;  // what happened to kernels as they were loaded; also in provenance
};

const std::vector<std::string>& experiment_keys();  // of an experiment's file

struct LoadOptions {
  bool trust = false;      // the options of its blocks in RTL that run commands are allowed
  std::string launches{};  // of the only application, a trace or a captured program; empty: as the file says
  LoadedInputs* loaded = nullptr;  // a platform or launch file that stands here is not read again
  std::string cache{};  // folder of the user's cache, where blocks of traces are stored; empty: nowhere
};

// Loads an experiment, which is a name or a file. A kernels list (*.g) or a launch file is an experiment of
// one application that runs once on the platform of the overrides. Throws config::Error with every problem of
// the first file that has any.
Experiment load_experiment(const std::string& name_or_file, const Overrides& overrides = {},
                           const LoadOptions& options = {});

// Returns the experiment as YAML with every default and override applied and the complete policies of each
// run. With platform.yaml and applications/NAME.yaml beside that text, heddle run repeats the run.
std::string resolved_yaml(const Experiment& experiment);

// Returns whether the runs of several applications need the target_instructions of each application, which
// its run alone measures.
bool needs_targets(const Experiment& experiment);

// Returns whether the seed changes anything. The times of measured blocks are drawn, and arrivals and
// parameters of requests.
bool draws_times(const Experiment& experiment);
constexpr const char* kWhatSeedsDraw =
    "only the times of measured kernels are drawn, where 'jitter' is above 0, and arrivals and parameters of "
    "requests; a mix has its own mix.seed";

// Returns the seed of the requests of an application: the one that is stated, or one that follows from the
// experiment's seed and the place of the application.
std::uint64_t request_seed(const Experiment& experiment, std::size_t application);

// Returns the machine that runs one variant.
MachineSpec machine_for(const Experiment& experiment, const std::map<std::string, PolicyChoice>& policies);

// Returns the machine that runs one application alone, on the platform's own policies and the whole GPU, of
// which no context has a share of its own. This run is the base of normalised measures.
MachineSpec machine_alone(const Experiment& experiment, std::size_t application);

// Returns the label of a variant. Of several variants, one without a label is named by the decisions in which
// they differ, as in "token" or "token, dma_arbiter=priority". The only variant is named by what differs from
// the platform, as in "token", "warp_scheduler=lrr, sm.count=8", or by the platform's name if nothing does.
std::string variant_label(const Experiment& experiment, std::size_t variant);

}  // namespace heddle
