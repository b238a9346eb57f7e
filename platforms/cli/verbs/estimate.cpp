#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "models/core/config/config_names.h"
#include "models/core/config/config_units.h"
#include "models/stats/writers.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"
#include "platforms/estimate/concurrent_kernels.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;
namespace units = config::detail;

struct EstimateOptions {
  std::string experiment;            // of two applications
  Overrides overrides;               // platform and sets
  std::vector<std::string> alone;    // APPLICATION.KERNEL=TIME
  std::vector<std::string> traffic;  // APPLICATION.KERNEL=BANDWIDTH: DRAM traffic of the kernel alone
  std::string bandwidth;             // that kernels reach together; empty: the peak of the platform's DRAM
  std::string launch_overhead;       // empty: the platform's kernel launch latency
  std::string placement = "packed";  // of the first kernel's blocks: packed or breadth
  bool json = false;
};

struct NamedKernel {
  std::string application;
  std::string name;
  ConcurrentKernel kernel;

  std::string full_name() const { return application + "." + name; }
};

std::uint64_t to_ps(std::uint64_t cycles, const GpuSpec& platform) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(cycles) / platform.core_hz * 1e12));
}

// Returns the time of a kernel alone on this platform's timed SMs.
std::optional<std::uint64_t> time_alone(const ApiKernel& kernel, const GpuSpec& platform) {
  if (kernel.block_cycles == 0) return std::nullopt;
  return to_ps(static_cast<std::uint64_t>(std::llround(cycles_alone(kernel, platform))), platform);
}

std::vector<NamedKernel> kernels_of(const Application& application, const GpuSpec& platform) {
  std::vector<NamedKernel> kernels;
  for (const ApiKernel& from : application.program.kernels) {
    NamedKernel made{application.program.name, from.name, {from.shape, from.blocks, {}, 0}};
    if (from.shape.threads == 0)
      throw config::Error({fmt::format("{}: how many threads its blocks have is not known before it runs",
                                       made.full_name())});
    made.kernel.time_alone_ps = time_alone(from, platform);
    kernels.push_back(made);
  }
  return kernels;
}

template <class T>
T take(const units::Parsed<T>& parsed, const std::string& what) {
  if (!parsed.ok()) throw config::Error({fmt::format("{}: {}", what, parsed.problem)});
  return parsed.value;
}

// Reads "APPLICATION.KERNEL=VALUE" of an option and calls `set` with the value for each kernel of that name.
void assign(const std::string& option, const std::string& text,
            const std::vector<std::vector<NamedKernel>*>& applications,
            const std::function<void(ConcurrentKernel&, const std::string&, const std::string&)>& set) {
  const std::string what = fmt::format("{} {}", option, text);
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos)
    throw config::Error({fmt::format("{}: needs APPLICATION.KERNEL=VALUE", what)});
  const std::string name = text.substr(0, equals);
  std::vector<std::string> known;
  bool is_found = false;
  for (std::vector<NamedKernel>* kernels : applications)
    for (NamedKernel& kernel : *kernels) {
      known.push_back(kernel.full_name());
      if (known.back() != name) continue;
      set(kernel.kernel, text.substr(equals + 1), what);
      is_found = true;
    }
  if (!is_found)
    throw config::Error({fmt::format("{}: no kernel '{}'{}", what, name, config::suggestion(name, known))});
}

ConcurrentGpu gpu_of(const EstimateOptions& options, const GpuSpec& platform) {
  ConcurrentGpu gpu;
  gpu.limits = platform.sm.limits;
  gpu.sms = platform.sm.count;
  gpu.placement = options.placement == "breadth" ? BlockPlacement::kBreadth : BlockPlacement::kPacked;
  gpu.launch_overhead_ps =
      options.launch_overhead.empty()
          ? to_ps(platform.engine.kernel_launch_latency, platform)
          : take(units::parse_time(options.launch_overhead), "--launch-overhead " + options.launch_overhead);
  if (!options.bandwidth.empty())
    gpu.bytes_per_second =
        take(units::parse_bandwidth(options.bandwidth), "--bandwidth " + options.bandwidth);
  else if (platform.memory)
    gpu.bytes_per_second = platform.memory->peak_bytes_per_second();
  return gpu;
}

Json json_of(const NamedKernel& kernel, const Residency& residency, std::uint64_t rounds, double slowdown) {
  Json json{{"application", kernel.application}, {"kernel", kernel.name}};
  json["blocks"] = kernel.kernel.blocks;
  json["threads"] = kernel.kernel.shape.threads;
  json["registers"] = kernel.kernel.shape.registers_per_thread;
  json["shared_bytes"] = kernel.kernel.shape.shared_bytes;
  json["time_alone_ps"] = nullptr;
  if (kernel.kernel.time_alone_ps) json["time_alone_ps"] = *kernel.kernel.time_alone_ps;
  json["bytes_per_second"] = kernel.kernel.bytes_per_second;
  json["blocks_per_sm"] = residency.blocks;
  json["bound"] = name_of(residency.bound);
  json["rounds"] = rounds;
  json["slowdown"] = slowdown;
  return json;
}

struct Pair {
  const NamedKernel* first = nullptr;
  const NamedKernel* second = nullptr;
  PairEstimate estimate;

  // Of the second kernel, in whole picoseconds.
  std::optional<long long> turnaround_ps() const {
    const std::optional<double>& ps = estimate.second_turnaround_ps;
    return ps ? std::optional(std::llround(*ps)) : std::nullopt;
  }
};

Pair pair_of(const NamedKernel& first, const NamedKernel& second, const ConcurrentGpu& gpu) {
  try {
    return {&first, &second, estimate_pair(first.kernel, second.kernel, gpu)};
  } catch (const std::invalid_argument& error) {
    throw config::Error({fmt::format("{} and {}: {}", first.full_name(), second.full_name(), error.what())});
  }
}

Json json_of(const Pair& of) {
  const PairEstimate& pair = of.estimate;
  Json first = json_of(*of.first, pair.first, pair.first_rounds, 1);
  first["slowdown_with_contention"] = pair.contention;
  Json second = json_of(*of.second, pair.second, pair.second_rounds, pair.slowdown);
  second["slots"] = pair.second_slots;
  second["limited_rounds"] = pair.second_limited_rounds;
  second["turnaround_ps"] = of.turnaround_ps() ? Json(*of.turnaround_ps()) : Json(nullptr);
  second["slowdown_with_contention"] = pair.slowdown * pair.contention;
  Json json{{"case", name_of(pair.concurrency)}};
  json["first"] = std::move(first);
  json["second"] = std::move(second);
  json["contention"] = pair.contention;
  for (const SmGroup& group : pair.last_round)
    json["last_round"].push_back({{"sms", group.sms},
                                  {"first_blocks", group.first_blocks},
                                  {"second_blocks", group.second.blocks},
                                  {"bound", name_of(group.second.bound)}});
  return json;
}

Json json_of(const std::vector<Pair>& pairs, const Experiment& experiment, const EstimateOptions& options,
             const ConcurrentGpu& gpu) {
  Json json{{"experiment", experiment.name}, {"platform", experiment.platform.name}};
  json["sms"] = gpu.sms;
  json["placement"] = options.placement;
  json["launch_overhead_ps"] = gpu.launch_overhead_ps;
  json["bytes_per_second"] = gpu.bytes_per_second;
  json["pairs"] = Json::array();
  for (const Pair& pair : pairs) json["pairs"].push_back(json_of(pair));
  return json;
}

std::vector<std::string> row_of(const Pair& of) {
  const PairEstimate& pair = of.estimate;
  const auto ratio = [](double value) { return fmt::format("{:.3f}", value); };
  std::string last_round;
  for (const SmGroup& group : pair.last_round)
    last_round += fmt::format("{}{} x ({} + {})", last_round.empty() ? "" : ", ", group.sms,
                              group.first_blocks, group.second.blocks);
  const std::optional<long long> turnaround = of.turnaround_ps();
  return {of.first->full_name(),
          of.second->full_name(),
          name_of(pair.concurrency),
          last_round,
          name_of(pair.last_round.front().second.bound),
          fmt::format("{}", pair.second_rounds),
          fmt::format("{}", pair.second_limited_rounds),
          ratio(pair.slowdown),
          ratio(pair.contention),
          ratio(pair.slowdown * pair.contention),
          turnaround ? fmt::format("{:.3f}", static_cast<double>(*turnaround) / 1e9) : "–"};
}

void print(const std::vector<Pair>& pairs, const Experiment& experiment, const ConcurrentGpu& gpu) {
  using Align = Table::Align;
  std::cout << fmt::format(
      "platform {}, {} SMs; blocks of the first kernel {}; case A: side by side, B: from the first's last "
      "round on, C: one after the other\n",
      experiment.platform.name, gpu.sms,
      gpu.placement == BlockPlacement::kPacked ? "fill SM after SM" : "go to SMs in turn");
  Table table({{"first"},
               {"second"},
               {"case"},
               {"SMs x (first + second)"},
               {"bound"},
               {"rounds", Align::kRight},
               {"limited", Align::kRight},
               {"slowdown", Align::kRight},
               {"contention", Align::kRight},
               {"with it", Align::kRight},
               {"second ends (ms)", Align::kRight}});
  for (const Pair& pair : pairs) table.add_row(row_of(pair));
  table.print(std::cout);
}

// Prints the estimate of every pair of a kernel of the first application and, submitted after it, a kernel of
// the second: see platforms/estimate/concurrent_kernels.h.
int estimate_pairs(const EstimateOptions& options) {
  const Experiment experiment = load_experiment(options.experiment, options.overrides);
  if (experiment.applications.size() != 2)
    throw config::Error({fmt::format("{}: an estimate is of two applications, this experiment has {}",
                                     options.experiment, experiment.applications.size())});
  std::vector<NamedKernel> first = kernels_of(experiment.applications[0].application, experiment.platform);
  std::vector<NamedKernel> second = kernels_of(experiment.applications[1].application, experiment.platform);
  for (const std::string& text : options.alone)
    assign("--alone", text, {&first, &second},
           [](ConcurrentKernel& kernel, const std::string& value, const std::string& what) {
             kernel.time_alone_ps = take(units::parse_time(value), what);
           });
  for (const std::string& text : options.traffic)
    assign("--traffic", text, {&first, &second},
           [](ConcurrentKernel& kernel, const std::string& value, const std::string& what) {
             kernel.bytes_per_second = take(units::parse_bandwidth(value), what);
           });
  const ConcurrentGpu gpu = gpu_of(options, experiment.platform);
  std::vector<Pair> pairs;
  for (const NamedKernel& one : first)
    for (const NamedKernel& other : second) pairs.push_back(pair_of(one, other, gpu));
  if (options.json)
    print_json(json_of(pairs, experiment, options, gpu));
  else
    print(pairs, experiment, gpu);
  return 0;
}

void declare_estimate(CommandLine& verb, EstimateOptions& options) {
  verb.add_option("experiment", options.experiment,
                  "an experiment of two applications; the first one's kernels come first")
      .required();
  add_override(verb, options.overrides, "--platform", "in place of the experiment's");
  add_override(verb, options.overrides, "--set", "override one value, as for run: sm.count=8");
  add_repeated_option(verb, "--alone", options.alone,
                      "what a kernel takes alone (default: from its measured time)",
                      "APPLICATION.KERNEL=TIME");
  add_repeated_option(verb, "--traffic", options.traffic,
                      "what a kernel reads and writes in DRAM alone, for contention",
                      "APPLICATION.KERNEL=BANDWIDTH");
  verb.add_option("--bandwidth", options.bandwidth,
                  "what kernels together can reach of DRAM (default: the platform's peak)");
  verb.add_option("--launch-overhead", options.launch_overhead,
                  "a first kernel no longer than this is over before the second (default: the platform's "
                  "launch latency)");
  verb.add_option("--placement", options.placement, "of the first kernel's blocks")
      .one_of({"packed", "breadth"})
      .capture_default_str();
  add_json_flag(verb, options.json, "the result as one JSON object and nothing else");
  verb.footer("Example:\n  heddle estimate pair.yaml --traffic lbm.StreamCollide=120GB/s");
}

const VerbRegistration kEstimate("estimate", 80, "Estimate, without a run, how two kernels share the GPU",
                                 declare_estimate, estimate_pairs);

}  // namespace

}  // namespace heddle
