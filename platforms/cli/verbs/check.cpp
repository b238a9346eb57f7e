#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "models/core/config/input_file.h"
#include "models/dram/address_map.h"
#include "models/gpu/peak_power.h"
#include "models/stats/writers.h"
#include "platforms/campaign/plan/card.h"
#include "platforms/campaign/plan/paper.h"
#include "platforms/cli/batch/batch_plan.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/restart_reasons.h"
#include "platforms/experiment/experiment.h"
#include "platforms/experiment/input.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/launch/launch_application.h"
#include "stimuli/synthetic/synthetic_code.h"

namespace heddle {

namespace {

struct CheckOptions {
  std::string input;
  Overrides overrides;  // platform and sets
};

const std::string kNone = "–";
// The platform for applications that name none, because none of their kernels was measured.
constexpr const char* kPlatformOfCode = "gtx480";
// The same for those of a language model, whose kernels need a platform that says what its SMs compute.
constexpr const char* kPlatformOfModels = "a100-80-timed";

double rounded_mhz(double hz) {
  return 1e6 / std::round(1e12 / hz);
}  // a period is whole picoseconds

// The peak rate is that of the pipelines; the front end can limit it further.
void print_execution(const ExecutionSpec& sm, const SmLimits& limits, std::uint32_t count, double hz) {
  const OperationSpec& fma = sm.operation(Operation::kFloatFma);
  const std::uint32_t pipelines = sm.unit(fma.unit).count;
  const double peak = 2.0 * kLanes * pipelines / fma.interval * count * hz;
  std::cout << fmt::format("  single precision     {:.1f} GFlop/s, {} pipelines of {} lanes each SM\n",
                           peak / 1e9, pipelines, kLanes);
  std::cout << fmt::format("  L1                   {} KiB each SM{}{}\n", sm.l1.bytes() >> 10,
                           limits.carve_outs.empty() ? "" : ", shared memory included",
                           sm.l1_caches_global ? "" : ", global loads go past it");
}

void print_l2(const MemoryPathSpec& memory) {
  const std::uint64_t slice = std::uint64_t{memory.l2.sets} * memory.l2.ways * L2Spec::kLineBytes;
  std::cout << fmt::format("  L2                   {} KiB, {} slices of {} KiB\n",
                           memory.slices() * slice >> 10, memory.slices(), slice >> 10);
  std::cout << fmt::format("  L2 bandwidth         {:.3f} GB/s, {} B in a cycle of each slice\n",
                           memory.slices() * memory.l2.width * memory.l2_hz / 1e9, memory.l2.width);
}

void print_dram(const DramSpec& dram, double hz) {
  const double peak = dram.map.pseudo_channels() * dram.map.burst_bytes * hz / dram.timing.burst();
  std::cout << fmt::format("  DRAM clock           {:.3f} MHz asked, {:.3f} MHz after rounding to 1 ps\n",
                           hz / 1e6, rounded_mhz(hz));
  std::cout << fmt::format("  DRAM bandwidth       {:.3f} GB/s, {} channels of {:.3f} GB/s and {} MiB\n",
                           dram.map.channels * peak / 1e9, dram.map.channels, peak / 1e9,
                           LocalMap(dram.map).bytes() >> 20);
  if (dram.map.pseudo_channels() > 1)
    std::cout << fmt::format("  pseudo-channels      {}, {} in each channel\n", dram.pseudo_channels(),
                             dram.map.pseudo_channels());
}

void print_power(const GpuSpec& spec) {
  std::cout << fmt::format("  idle power           {:.1f} W: SMs asleep, rows closed and refreshed\n",
                           idle_watts(spec));
  std::cout << fmt::format("  peak power           {:.1f} W: everything at its maximum at once\n",
                           peak_watts(spec));
}

void print_platform(const GpuSpec& spec) {
  const SmLimits& sm = spec.sm.limits;
  std::cout << fmt::format("platform {}\n", spec.name);
  std::cout << fmt::format("  core clock           {:.3f} MHz asked, {:.3f} MHz after rounding to 1 ps\n",
                           spec.core_hz / 1e6, rounded_mhz(spec.core_hz));
  std::cout << fmt::format("  PCIe clock           {:.3f} MHz asked, {:.3f} MHz after rounding to 1 ps\n",
                           spec.pcie_hz / 1e6, rounded_mhz(spec.pcie_hz));
  std::cout << fmt::format("  PCIe bandwidth       {:.2f} GB/s each way\n",
                           spec.pcie.bytes_per_cycle() * spec.pcie_hz / 1e9);
  std::cout << fmt::format(
      "  SMs                  {} ({} threads, {} warps, {} registers, {} B shared, {} blocks each)\n",
      spec.sm.count, sm.threads, sm.warps, sm.registers, sm.shared_bytes, sm.block_slots);
  std::cout << fmt::format("  resident threads     {}\n", std::uint64_t{spec.sm.count} * sm.threads);
  if (const ExecutionSpec* const execution = spec.sm.execution())
    print_execution(*execution, spec.sm.limits, spec.sm.count, spec.core_hz);
  std::cout << fmt::format("  SM set-up            {} cycles\n", spec.engine.set_up_cycles());
  std::cout << fmt::format("  device copies        {:.3f} GB/s\n", spec.dma.device_bytes_per_second / 1e9);
  std::cout << fmt::format("  queues               {} of {} commands\n", spec.queues.count,
                           spec.queues.entries);
  if (spec.memory) {
    print_l2(*spec.memory);
    print_dram(spec.memory->dram, spec.memory->dram_hz);
  }
  if (spec.energy) print_power(spec);
  for (const auto& [decision, choice] : spec.policies)
    std::cout << fmt::format("  {:<20} {}\n", decision, choice.name);
}

// Every key with its value and where that comes from; last, the defaults of keys that stand nowhere.
void print_keys(const config::Document& document) {
  Table table({{"key"}, {"value"}, {"from"}});
  std::set<std::string> stated;
  for (const config::Document::Entry& entry : document.entries()) {
    table.add_row({entry.path, entry.value, entry.place});
    for (std::size_t end = 0; end != std::string::npos;) {
      end = entry.path.find_first_of(".[", end + 1);
      stated.insert(entry.path.substr(0, end));
    }
  }
  for (const config::KeyDescription& key : document.keys())
    if (key.fallback != config::kRequired && stated.count(key.path) == 0)
      table.add_row({key.path, key.fallback, "default"});
  std::cout << "\n";
  table.print(std::cout);
}

void check_platform_file(const std::string& file, const Overrides& overrides) {
  config::Document document = load_platform_document(file);
  overrides.apply_to_platform(document);
  const GpuSpec spec = read_platform(document.root());
  document.finish();
  print_platform(spec);
  print_keys(document);
  if (const std::string foreign = spec.energy ? foreign_energies(*spec.energy, spec) : ""; !foreign.empty())
    std::cout << "note: " << foreign << "\n";
}

// The most instructions that a warp of the kernel issues; a warp of divergent code can issue fewer.
std::string instructions_per_warp(const SyntheticKernel& kernel) {
  const SyntheticCode code = lay_out(kernel);
  return fmt::format("{}{}", code.varies ? "<= " : "", code.most_issues);
}

const char* name_of(TimeBound bound) {
  switch (bound) {
    case TimeBound::kBlocks:
      return "blocks";
    case TimeBound::kDram:
      return "DRAM";
    case TimeBound::kL2:
      return "L2";
  }
  return "";
}

std::string microseconds(double ps) {
  return fmt::format("{:.2f}", ps / 1e6);
}

// One card's numbers of a kernel.
struct KernelRow {
  std::string on;
  std::uint64_t sms = 0;
  double time_ps = 0;
  std::uint64_t block_cycles = 0;  // 0: the kernel has no time
};

bool is_of_model(const Application& application, std::size_t kernel) {
  return application.model && application.model->has(kernel);
}

// The rows of a kernel: that of the platform, and before it that of the SMs on which its time was measured
// where these are others. `measured` is their card, or null if it is not known. The time of a language
// model's kernel follows from its blocks.
std::vector<std::pair<KernelRow, const GpuSpec*>> rows_of(const Application& application, std::size_t number,
                                                          const GpuSpec& spec, const GpuSpec* measured) {
  const ApiKernel& kernel = application.program.kernels[number];
  const auto time_ps = static_cast<double>(application.kernel_time_ps[number]);
  KernelRow here{spec.name, spec.sm.count, time_ps, kernel.block_cycles};
  const std::uint32_t sms = application.measured_sms[number];
  const bool of_model = is_of_model(application, number);
  if (kernel.block_cycles == 0 || (sms == 0 && !application.is_moved && !of_model)) return {{here, &spec}};
  here.time_ps = cycles_alone(kernel, spec) / spec.core_hz * 1e12;
  if (measured == nullptr || of_model) return {{here, &spec}};
  const MeasuredKernel stated{kernel.shape, kernel.blocks, application.kernel_time_ps[number], sms,
                              application.bytes[number]};
  const std::uint64_t on = sms == 0 ? measured->sm.count : sms;
  const KernelRow there{sms == 0 ? measured->name : fmt::format("{}, {} SMs", measured->name, sms), on,
                        time_ps, blocks_of(stated, *measured, *measured).block.block_cycles};
  return {{there, measured}, {here, &spec}};
}

void print_kernels(const Application& application, const GpuSpec& spec, const GpuSpec* measured) {
  using Align = Table::Align;
  Table table({{"kernel"},
               {"on"},
               {"launches", Align::kRight},
               {"blocks", Align::kRight},
               {"time (us)", Align::kRight},
               {"time bound by"},
               {"instructions per warp", Align::kRight},
               {"resident per SM", Align::kRight},
               {"bound by"},
               {"waves", Align::kRight},
               {"block (us)", Align::kRight}});
  for (std::size_t i = 0; i < application.program.kernels.size(); ++i) {
    const ApiKernel& kernel = application.program.kernels[i];
    const SyntheticKernel* const synthetic = application.synthetic[i].get();
    for (const auto& [row, card] : rows_of(application, i, spec, measured)) {
      const Residency residency = residency_of(kernel.shape, card->sm.limits);
      const std::uint64_t all = std::uint64_t{residency.blocks} * row.sms;
      const bool timed = row.block_cycles > 0;
      const double block_ps = static_cast<double>(row.block_cycles) / card->core_hz * 1e12;
      table.add_row({kernel.name, row.on, fmt::format("{}", application.launches[i]),
                     fmt::format("{}", kernel.blocks), timed ? microseconds(row.time_ps) : kNone,
                     timed && !is_of_model(application, i) ? name_of(application.bounds[i]) : kNone,
                     synthetic == nullptr ? kNone : instructions_per_warp(*synthetic),
                     fmt::format("{}", residency.blocks), name_of(residency.bound),
                     all == 0 ? kNone : fmt::format("{}", (kernel.blocks + all - 1) / all),
                     timed ? microseconds(block_ps) : kNone});
    }
  }
  table.print(std::cout);
}

// `measured` is the card of the kernel times, or null if it is not known.
void print_application(const Application& application, const GpuSpec& spec, const GpuSpec* measured) {
  const ApiProgram& program = application.program;
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  std::vector<std::uint64_t> factor{1};
  for (const ApiCall& call : program.calls) {
    if (call.kind == ApiCall::Kind::kRepeat) factor.push_back(factor.back() * call.certain_rounds());
    if (call.kind == ApiCall::Kind::kEnd) factor.pop_back();
    if (call.kind == ApiCall::Kind::kCopyUp) up += factor.back() * call.bytes;
    if (call.kind == ApiCall::Kind::kCopyDown) down += factor.back() * call.bytes;
  }
  std::cout << fmt::format("application {}: {} B up, {} B down, {} streams; on {}\n", program.name, up, down,
                           program.streams.size(), spec.name);
  print_kernels(application, spec, measured);
}

void check_application(const std::string& file, const CheckOptions& options) {
  config::Document document = load_application_document(file);
  for (const std::string& set : options.overrides.sets) document.set(set);
  const config::Section root = document.root();
  const std::string measured_on = find_measured(root, document.name());
  if (measured_on.empty() && root.has("measured_on"))
    throw config::Error({fmt::format("{}: measured_on: needs a platform", root.place())});
  const std::string unmeasured = root.has("model") ? kPlatformOfModels : kPlatformOfCode;
  const std::string own = measured_on.empty() ? unmeasured : measured_on;
  const GpuSpec spec = load_platform(options.overrides.platform.value_or(own));
  Application application = read_application(root, spec.host);
  set_model(root, application, spec);
  check_fits(root, application, spec);
  std::optional<GpuSpec> measured;
  if (!measured_on.empty()) {
    measured = load_platform(measured_on);
    set_residence(root, application, *measured, spec);
  }
  document.finish();
  print_application(application, spec, measured ? &*measured : nullptr);
  if (application.is_moved) std::cout << "note: " << moved_times(application, *measured, spec) << "\n";
}

void check_experiment(const CheckOptions& options) {
  const Experiment experiment = load_experiment(options.input, options.overrides);
  std::cout << fmt::format("experiment {}\n", experiment.name);
  if (!experiment.mix.empty()) std::cout << experiment.mix << "\n";
  for (std::size_t i = 0; i < experiment.variants.size(); ++i)
    std::cout << fmt::format("  run {}: {}\n", i + 1, variant_label(experiment, i));
  print_platform(experiment.platform);
  for (const ExperimentApplication& use : experiment.applications)
    print_application(use.application, experiment.platform, nullptr);
  for (const std::string& note : experiment.notes) std::cout << "note: " << note << "\n";
}

// "16 x 16". A dimension that depends on variables is printed as its expression.
std::string dimensions_text(const std::array<Expression, 3>& dimensions) {
  const auto text = [](const Expression& one) {
    return one.is_constant() ? text_of(one.constant()) : one.text();
  };
  std::string all = text(dimensions[0]);
  const bool flat = text(dimensions[2]) == "1";
  if (!flat || text(dimensions[1]) != "1") all += " x " + text(dimensions[1]);
  return flat ? all : all + " x " + text(dimensions[2]);
}

void check_launch_file(const std::string& file, const CheckOptions& options) {
  const LaunchApplication launch =
      load_launch_application(file, options.overrides.only_launch_parameters("of a launch file"));
  if (options.overrides.platform) load_experiment(options.input, options.overrides);  // it fits
  const LaunchPlan& plan = *launch.plan;
  std::cout << fmt::format("launch file {}{}{}\n", plan.name, launch.description.empty() ? "" : ": ",
                           launch.description);
  for (const LaunchBuffer& buffer : plan.buffers)
    std::cout << fmt::format("  {:<20} {} x {}\n", buffer.name, buffer.count, name_of(buffer.type));
  using Align = Table::Align;
  Table table({{"kernel"},
               {"grid"},
               {"block"},
               {"registers", Align::kRight},
               {"shared (B)", Align::kRight},
               {"restartable"},
               {"parameters"}});
  std::map<std::string, std::vector<std::string>> restarts;  // by kernel
  for (const ApiCall& call : launch.application.program.calls) {
    if (call.kind != ApiCall::Kind::kLaunch) continue;
    const LaunchStep& step = plan.steps[call.number];
    const ApiKernel& kernel = launch.application.program.kernels[call.kernel];
    const bool is_known = kernel.shape.threads > 0;
    std::vector<std::string> parameters_of;
    const ptx::Module& module = *image_of(*plan.codes[step.code]).module;
    const ptx::Function& entry = module.functions[step.entry];
    const ptx::RestartVerdict verdict = ptx::restart_verdict(module, entry);
    restarts.emplace(entry.name,
                     restart_reasons(verdict, entry.name, module.file, config::read_file(module.file)));
    for (const ptx::FrameVariable& parameter : entry.parameters)
      parameters_of.push_back(parameter.array ? fmt::format("b8[{}]", parameter.bytes)
                                              : ptx::name_of(parameter.type));
    table.add_row({kernel.name, dimensions_text(step.grid), dimensions_text(step.block),
                   is_known ? fmt::format("{}", kernel.shape.registers_per_thread) : kNone,
                   is_known ? fmt::format("{}", kernel.shape.shared_bytes) : kNone, name_of(verdict.kind),
                   fmt::format("{}", fmt::join(parameters_of, " "))});
  }
  table.print(std::cout);
  std::vector<std::string> reasons;
  for (const auto& [kernel, own] : restarts) reasons.insert(reasons.end(), own.begin(), own.end());
  print_restarts(reasons);
  std::cout << (plan.check.none() ? std::string("nothing is checked\n")
                : plan.check.reference != nullptr
                    ? fmt::format("checked against the reference '{}'\n", plan.check.reference->name)
                    : std::string("checked against what is expected\n"));
}

void check_paper(const std::string& file, const std::vector<std::string>& sets) {
  if (!sets.empty()) throw config::Error({file + ": of a paper nothing is set"});
  const Paper paper = load_paper(file);
  std::cout << fmt::format("paper {}: {}\n", paper.name, paper.title);
  for (const Campaign& campaign : paper.campaigns)
    std::cout << fmt::format("  campaign {}: {} points\n", campaign.name, campaign.points.size());
  for (const PaperFigure& figure : paper.figures)
    std::cout << fmt::format("  {}: {}, {} numbers of theirs\n", figure.figure, figure.title,
                             figure.theirs.size());
}

void check_card(const std::string& file, const std::vector<std::string>& sets) {
  if (!sets.empty()) throw config::Error({file + ": of a card nothing is set"});
  for (const bool is_short : {false, true}) {
    const Card card = load_card(file, is_short);
    if (is_short && !card.has_short) return;
    std::cout << (is_short ? std::string("short form:\n")
                           : fmt::format("card {}: {}\n", card.name, card.title));
    std::cout << fmt::format("  points: {}\n", card.points_words);
    if (card.mechanisms.empty()) continue;
    std::cout << fmt::format("  without each of {} mechanisms: {}\n", card.mechanisms.size(),
                             card.changed_words);
  }
}

void check_campaign(const std::string& file, const CheckOptions& options) {
  BatchPlanOptions plan;
  plan.campaign = std::filesystem::absolute(file);  // a file without an ending is no name
  plan.sets = options.overrides.sets;
  plan_campaign(plan);
}

int check_input(const CheckOptions& options) {
  const Input input = find_input(options.input);
  for (const Input& other : others_named(input, options.input))
    std::cerr << fmt::format("note: another '{0}' {1}; heddle check {2} checks it\n", options.input,
                             use_of(other, options.input), other.file);
  const bool takes_platform = input.kind <= InputKind::kCapture;
  if (options.overrides.platform && !takes_platform)
    throw config::Error(
        {fmt::format("--platform has no meaning: '{}' {}", options.input, use_of(input, options.input))});
  switch (input.kind) {
    case InputKind::kExperiment:
    case InputKind::kTrace:
    case InputKind::kCapture:
      check_experiment(options);
      break;
    case InputKind::kLaunch:
      check_launch_file(input.file, options);
      break;
    case InputKind::kApplication:
      check_application(input.file, options);
      break;
    case InputKind::kCampaign:
      check_campaign(input.file, options);
      break;
    case InputKind::kPaper:
      check_paper(input.file, options.overrides.sets);
      break;
    case InputKind::kCard:
      check_card(input.file, options.overrides.sets);
      break;
    case InputKind::kPlatform:
      check_platform_file(input.file, options.overrides);
      break;
    case InputKind::kRtl:
      throw config::Error({fmt::format("'{}' {}", options.input, use_of(input, options.input))});
  }
  return 0;
}

void declare_check(CommandLine& verb, CheckOptions& options) {
  verb.add_option("input", options.input, "a name that heddle list knows, or a file").required();
  add_override(verb, options.overrides, "--platform",
               "check on this platform instead of the experiment's or the application's");
  add_override(verb, options.overrides, "--set", "override one value");
}

const VerbRegistration kCheck("check", 90,
                              "Validate an experiment, application, launch file, trace, captured program, "
                              "platform, campaign, paper or card; "
                              "print what follows",
                              declare_check, check_input);

}  // namespace

}  // namespace heddle
