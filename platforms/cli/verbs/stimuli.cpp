#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/core/config/result_file.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/experiment/experiment.h"
#include "platforms/run/child.h"
#include "platforms/run/job.h"
#include "platforms/run/stimuli_file.h"

namespace heddle {

namespace {

struct StimuliOptions {
  std::string experiment;
  std::string place;
  std::string out;  // empty: PLACE.txt
  std::string addresses = "local";
  Overrides overrides;
  bool trust = false;
};

// Throws config::Error if the place is none of the machine's.
void check_place(const StimuliOptions& options, const GpuSpec& gpu) {
  const std::vector<std::string> places = stimuli_places(gpu);
  if (places.empty()) throw config::Error({"--at: the platform has timed SMs, which send no requests"});
  if (std::find(places.begin(), places.end(), options.place) != places.end()) return;
  throw config::Error(
      {fmt::format("--at {}: the machine has l2_0 to l2_{} and dram0 to dram{}", options.place,
                   gpu.memory->slices() - 1, gpu.memory->dram.map.channels - 1)});
}

Simulation run_one(const Job& job) {
  JobResult done = run_jobs({job}, 1, [](const JobProgress&) {}).front();
  if (!done.failure.empty()) throw std::runtime_error(fmt::format("{}: {}", job.label, done.failure));
  return done.done;
}

// Runs the applications alone if the experiment needs their instruction counts.
void set_targets(Experiment& experiment) {
  if (!needs_targets(experiment)) return;
  for (std::size_t i = 0; i < experiment.applications.size(); ++i) {
    Job alone;
    alone.label = experiment.applications[i].application.program.name + " alone";
    alone.machine = machine_alone(experiment, i);
    experiment.applications[i].target_instructions =
        run_one(alone).result.applications.front().warp_instructions;
  }
}

int write_stimuli(const StimuliOptions& options) {
  LoadOptions load;
  load.trust = options.trust;
  load.cache = user_cache_folder();
  Experiment experiment = load_experiment(options.experiment, options.overrides, load);
  check_place(options, experiment.platform);
  if (experiment.variants.size() > 1)
    throw config::Error({fmt::format(
        "{} has {} runs; --policy chooses the policies of one, as in --policy sm_partitioner=fcfs-s",
        experiment.name, experiment.variants.size())});
  catch_interrupts();
  ResultFile file(options.out.empty() ? options.place + ".txt" : options.out, Existing::kRefused, "--out");
  set_targets(experiment);
  Job job;
  job.label = experiment.name;
  job.machine = machine_for(experiment, experiment.variants.front());
  job.stimuli = {options.place, file.draft(), options.addresses == "local"};
  run_one(job);
  file.finish();
  std::cout << "stimuli: " << file.path() << std::endl;
  return 0;
}

void declare_stimuli(CommandLine& verb, StimuliOptions& options) {
  verb.add_option("experiment", options.experiment, "as of heddle run").required();
  verb.add_option("--at", options.place, "an L2 slice, l2_0, or a DRAM channel, dram0").required();
  verb.add_option("--out", options.out, "file, which must not exist (default: PLACE.txt)");
  verb.add_option("--addresses", options.addresses,
                  "local: within the slice or channel; physical (default: local)")
      .one_of({"local", "physical"});
  add_overrides(verb, options.overrides, {{"--set", "override one value, as of heddle run"}});
  add_trust_flag(verb, options.trust);
  verb.footer(
      "A line is a request or an answer:\n"
      "  request|answer CYCLE NUMBER read|write|atomic ADDRESS BYTES ENABLES LANES|HIT\n"
      "  $fscanf(file, \"%s %d %d %s %h %d %h %d\", what, cycle, number, kind, address, bytes, enables, "
      "last)\n"
      "Example:\n"
      "  heddle stimuli vector_add --platform gtx480 --at l2_0 --out l2_0.txt");
}

const VerbRegistration kStimuli("stimuli", 48,
                                "Write what passes a block of the memory path, for a test bench",
                                declare_stimuli, write_stimuli);

}  // namespace

}  // namespace heddle
