#include "tests/support/machine/cycle_machine.h"

#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "models/core/config/data_path.h"
#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/in_child.h"
#include "tests/support/synthetic.h"

namespace heddle::test {

namespace {

constexpr std::uint64_t kStarvationPs = 1'000'000'000'000;  // longer than any test simulates
constexpr int kSlicesToRest = 100;

config::Document document(const std::string& folder, const std::string& name,
                          const std::vector<std::string>& settings) {
  config::Document document = config::Document::load(find_data(folder, name));
  for (const std::string& setting : settings) document.set(setting);
  return document;
}

// Wakes every sleeper of a domain in every cycle. It is constructed after all of them, because it wakes the
// sleepers that exist by then.
class Insomnia : public Clocked {
 public:
  explicit Insomnia(const ClockDomain& domain)
      : domain_(const_cast<ClockDomain&>(domain)), last_(domain_.add(*this)) {  // no sleeper may follow
    domain_.wake_at(last_, Cycle{1});
  }
  void tick(Cycle now) override {
    for (ClockDomain::Sleeper sleeper = 0; sleeper <= last_; ++sleeper) domain_.wake_at(sleeper, now + 1);
    for (std::size_t block = 0; block < domain_.divided_blocks(); ++block)
      domain_.wake_at(ClockDomain::divided_sleeper(block), now + 1);
  }

 private:
  ClockDomain& domain_;
  ClockDomain::Sleeper last_;
};

// Simulates until every process has finished and nothing is in flight, or until the machine fails.
void simulate(Machine& machine) {
  const sc_core::sc_time slice(20, sc_core::SC_US);
  while (!machine.done() && machine.failure().empty()) {
    sc_core::sc_start(slice, sc_core::SC_RUN_TO_TIME);
    if (!machine.done()) machine.check_progress();
  }
  if (!machine.failure().empty()) return;
  for (int i = 0; i < kSlicesToRest && !machine.gpu().idle(); ++i)
    sc_core::sc_start(slice, sc_core::SC_RUN_TO_TIME);
  EXPECT_TRUE(machine.gpu().idle()) << "still something in flight";
  machine.check_conservation();
}

std::string simulate_to_text(const MachineSpec& spec, Build build,
                             const std::function<std::string(Gpu&)>& note) {
  GpuOptions options;
  options.build_reversed = build == Build::kReversed;
  Machine machine("machine", spec, options);
  const Gpu& gpu = machine.gpu();
  std::deque<Insomnia> sleepless;
  if (build == Build::kSleepless)
    for (const ClockDomain* domain :
         {&gpu.core(), &gpu.pcie(), &gpu.memory()->icnt(), &gpu.memory()->l2(), &gpu.memory()->dram()})
      sleepless.emplace_back(*domain);
  std::string failure;
  try {
    simulate(machine);
    failure = machine.failure();
  } catch (const sc_core::sc_report& report) {
    failure = report.get_msg();
  }
  std::ostringstream stats;
  write_json(machine.stats(), stats);
  return nlohmann::json{{"failure", failure},
                        {"core_cycles", machine.gpu().core().now().value},
                        {"note", note ? note(machine.gpu()) : ""},
                        {"stats", stats.str()}}
      .dump();
}

bool matches(const char* pattern, const char* path) {
  for (; *pattern != '*'; ++pattern, ++path) {
    if (*pattern != *path) return false;
    if (*path == 0) return true;
  }
  for (;; ++path) {
    if (matches(pattern + 1, path)) return true;
    if (*path == 0 || *path == '.') return false;
  }
}

}  // namespace

GpuSpec gtx480(const std::vector<std::string>& settings) {
  const config::Document platform = document("platforms", "gtx480", settings);
  GpuSpec spec = read_platform(platform.root());
  platform.finish();
  return spec;
}

GpuSpec shared_gtx480(const std::string& sm_partitioner, std::vector<std::string> settings) {
  settings.insert(settings.end(), {"queues.count=8", "policies.command_arbiter=hyper-q",
                                   "policies.sm_partitioner=" + sm_partitioner});
  return gtx480(settings);
}

ApiProgram shipped(const std::string& name, const std::vector<std::string>& settings) {
  const config::Document application = document("stimuli/applications", name, settings);
  HostSpec host;
  host.touch_bytes_per_second = 1e9;
  ApiProgram program = read_application(application.root(), host).program;
  application.finish();
  return program;
}

ApiProgram synthetic(const std::string& code, const KernelSize& size) {
  KernelText text{code, size.blocks, size.threads, size.registers, std::to_string(size.shared_bytes) + "B"};
  return application_of(application_text(text)).program;
}

ApiProgram launch_of(std::function<std::unique_ptr<KernelProgram>()> open, const KernelSize& size) {
  ApiProgram program;
  program.name = "scripted";
  program.streams = {"default"};
  ApiKernel kernel;
  kernel.name = "k";
  kernel.blocks = size.blocks;
  kernel.shape = {size.threads, size.registers, size.shared_bytes};
  kernel.program = [open = std::move(open)](const CodeOptions&) { return open(); };
  program.kernels.push_back(std::move(kernel));
  ApiCall launch;
  launch.kind = ApiCall::Kind::kLaunch;
  program.calls.push_back(launch);
  return program;
}

HostProcessSpec process_of(ApiProgram program, std::int32_t priority, std::int32_t tokens) {
  HostProcessSpec process;
  process.program = std::move(program);
  process.priority = priority;
  process.tokens = tokens;
  return process;
}

std::uint64_t CycleRun::at(const std::string& path) const {
  const auto found = counters.find(path);
  if (found != counters.end()) return found->second;
  ADD_FAILURE() << "no counter " << path;
  return 0;
}

std::uint64_t CycleRun::sum(const std::string& pattern) const {
  std::uint64_t sum = 0;
  std::size_t found = 0;
  for (const auto& [path, value] : counters) {
    if (!matches(pattern.c_str(), path.c_str())) continue;
    sum += value;
    ++found;
  }
  EXPECT_GT(found, 0u) << "no counter " << pattern;
  return sum;
}

CycleRun run(const GpuSpec& gpu, std::vector<HostProcessSpec> processes, Build build,
             const std::function<std::string(Gpu&)>& note) {
  MachineSpec spec;
  spec.gpu = gpu;
  spec.processes = std::move(processes);
  spec.starvation_limit_ps = kStarvationPs;
  for (std::uint32_t i = 0; i < spec.processes.size(); ++i) {
    spec.processes[i].number = i;
    spec.processes[i].seed = i;
  }
  CycleRun run;
  const std::string text = in_child([&] { return simulate_to_text(spec, build, note); });
  if (text.empty()) return run;  // in_child() has reported the failure
  const auto result = nlohmann::json::parse(text);
  run.failure = result.at("failure");
  run.core_cycles = result.at("core_cycles");
  run.note = result.at("note");
  run.stats = result.at("stats");
  for (const ReadStatistic& statistic : read_stats(run.stats))
    if (!statistic.formula) run.counters[statistic.path] = statistic.count;
  return run;
}

CycleRun run(const GpuSpec& gpu, const ApiProgram& program, Build build) {
  return run(gpu, std::vector<HostProcessSpec>{process_of(program)}, build);
}

}  // namespace heddle::test
