#include "platforms/campaign/store/run_id.h"

#include <fmt/format.h>

#include "platforms/experiment/rtl_libraries.h"
#include "platforms/run/provenance.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/traceg/kernels_list.h"

namespace heddle {

namespace {

using Policies = std::map<std::string, PolicyChoice>;

// The version of the format of results. It is part of the identity: a result of another format is another
// run.
constexpr const char* kSchemas = "heddle-run-1 heddle-summary-1 heddle-stats-1";

Policies complete(Policies policies) {
  for (auto& [decision, choice] : policies)
    for (const PolicyParameter& parameter :
         PolicyCatalogue::instance().info(decision, choice.name).parameters)
      choice.parameters.emplace(parameter.name, parameter.fallback);
  return policies;
}

// Adds a text with its length, so that two different lists of texts never have the same bytes.
void add(std::string& text, const std::string& part) {
  text += fmt::format("{}:{}\n", part.size(), part);
}

void add_policies(std::string& text, const Policies& policies) {
  for (const auto& [decision, choice] : policies) {
    add(text, decision);
    add(text, choice.name);
    for (const auto& [parameter, value] : choice.parameters) add(text, parameter + "=" + value.text());
  }
}

void add_process(std::string& text, const HostProcessSpec& process) {
  text += fmt::format("{} {} {} {} {} {} {} {} {}\n", process.priority, process.tokens, process.start_ps,
                      process.seed, process.copies, process.cpu_phases, process.replay,
                      process.replay_priority, process.replay_tokens);
  if (process.takes_over)
    text += fmt::format("takes over {} {} {}\n", process.takes_over->from, process.takes_over->latency_ps,
                        process.takes_over->token_ps);
  for (const ApiKernel& kernel : process.program.kernels)
    text += fmt::format("{} {} {} {} {} {}\n", kernel.block_cycles, kernel.jitter_permille,
                        kernel.dram_sectors, kernel.l2_sectors, kernel.port_load, kernel.product_load);
}

// Adds nothing for a run without a series.
void add_series(std::string& text, const SeriesRequest& series) {
  if (!series.is_wanted()) return;
  text += fmt::format("series {} {}\n", series.cycles, series.ps);
  for (const std::string& pattern : series.patterns) add(text, pattern);
}

Experiment named_applications(const Experiment& experiment) {
  Experiment run = experiment;
  run.mix.clear();
  run.mix_spec = {};
  return run;
}

// An application alone has the whole GPU. The process that runs it reads the text of the platform, so that
// the shares of contexts are removed there as well.
void clear_shares(Experiment& run) {
  if (!run.platform.memory || !run.platform.memory->has_shares()) return;
  run.platform.memory->clear_shares();
  config::Document platform = config::Document::implied(run.platform_yaml, run.platform.name);
  for (const char* share : {"l2.ways_of=[]", "crossbar.outstanding_of=[]", "dram.channels_of=[]"})
    platform.set(share);
  run.platform_yaml = platform.to_yaml();
}

}  // namespace

Experiment variant_run(const Experiment& experiment, std::size_t variant) {
  Experiment run = named_applications(experiment);
  run.variants = {experiment.variants[variant]};
  run.labels = {experiment.labels[variant]};
  return run;
}

Experiment alone_run(const Experiment& experiment, std::size_t application) {
  Experiment run = named_applications(experiment);
  run.name = experiment.applications[application].application.program.name + "-alone";
  run.question.clear();
  run.applications = {experiment.applications[application]};
  run.applications.front().priority = 0;
  run.applications.front().start_ps = 0;
  run.applications.front().takes_over.reset();
  run.prioritised.reset();
  run.variants = {complete(experiment.platform.policies)};
  run.labels = {""};
  // An experiment of one application ends as the run of that application alone does, so that both can be one
  // run.
  if (experiment.applications.size() > 1) {
    clear_shares(run);
    run.replay = run.window_cycles != 0;
    run.keep_priority = false;
    run.seed = experiment.jitter_permille == 0 ? 0 : experiment.seed + application;
    // Alone, the same requests arrive.
    if (run.applications.front().requests)
      run.applications.front().request_seed = request_seed(experiment, application);
  }
  return run;
}

std::string RunIds::of(const Experiment& run) {
  const MachineSpec machine = machine_for(run, run.variants.front());
  std::string text;
  for (const std::string& part : {std::string(kSchemas), build_, run.platform_yaml}) add(text, part);
  add_policies(text, machine.gpu.policies);
  for (const std::string& file : rtl_files(machine.gpu)) add(text, hash_of_file(file));
  text += fmt::format("{} {}\n", machine.starvation_limit_ps, run.window_cycles);
  for (std::size_t i = 0; i < machine.processes.size(); ++i) {
    const ExperimentApplication& use = run.applications[i];
    add(text, use.recording.empty() ? use.yaml : hash_of_recording(use.recording));
    if (use.named) add(text, use.application.program.name);
    for (const auto& [name, file] : use.files) add(text, hash_of_file(file));
    for (const auto& [kernel, registers] : use.registers) add(text, fmt::format("{}={}", kernel, registers));
    if (use.restartable) add(text, *use.restartable ? "restartable" : "not restartable");
    if (const std::optional<RequestSpec>& requests = machine.processes[i].requests)
      for (const std::string& part : {use.stated_arrivals, use.stated_parameters, use.stated_batching,
                                      fmt::format("{}", requests->draws() ? requests->seed : 0)})
        add(text, part);
    add_process(text, machine.processes[i]);
    if (machine.processes[i].starts_together) add(text, "starts together");
  }
  add_series(text, series_);
  return content_hash(text);
}

std::string RunIds::hash_of_file(const std::string& file) {
  return *files_.get(file, [&] { return file_hash(file); });
}

std::string RunIds::hash_of_recording(const std::string& file) {
  return *recordings_.get(file, [&] {
    std::string text = hash_of_file(file);
    if (!capture::is_capture(file))
      for (const TraceCommand& command : read_kernels_list(file))
        if (command.kind == TraceCommand::Kind::kKernel) text += hash_of_file(command.file);
    return content_hash(text);
  });
}

}  // namespace heddle
