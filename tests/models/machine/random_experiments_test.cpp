// Random experiments as a user would write them: applications with and without requests under the policies of
// every decision that the registry has. Each one ends, loses no request, block or byte, and keeps its sums,
// or it is refused with messages that name the place. Each experiment is read and run in a process of its
// own.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "models/core/config/config.h"
#include "models/machine/machine.h"
#include "models/machine/timeline_observer.h"
#include "platforms/experiment/experiment.h"
#include "policies/instances/i_instances.h"
#include "policies/replacement/i_replacement.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "tests/support/in_child.h"
#include "tests/support/policy_names.h"
#include "tests/support/requests/random_experiment.h"
#include "tests/support/requests/request_checks.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr rlim_t kMostSeconds = 100;             // of CPU time for an experiment; one that takes longer hangs
constexpr double kMostSimulated = 5;             // seconds
constexpr std::uint64_t kSlotOfSeeds = 1000000;  // the seeds of one test begin at a multiple

void limit_cpu_time() {
  const rlimit limit{kMostSeconds, kMostSeconds};
  setrlimit(RLIMIT_CPU, &limit);
}

// The short size runs 200 random experiments in two processes, the full size 10,000 in four.
constexpr std::uint64_t kShortTests = 2;
std::uint64_t experiments_per_test() {
  return full_size() ? 2500 : 150;
}

std::uint64_t counter(const Group& stats, const std::string& path) {
  const Counter* found = stats.find(path);
  EXPECT_NE(found, nullptr) << path;
  return found == nullptr ? 0 : found->value();
}

// Returns the sum over the parts with a number, such as the SMs.
std::uint64_t sum_of(const Group& stats, const std::string& part, std::uint32_t count,
                     const std::string& name) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    if (const Counter* found = stats.find(fmt::format("{}{}.{}", part, i, name))) sum += found->value();
  return sum;
}

bool have_all_finished(const Machine& machine) {
  bool finished = true;
  for (std::size_t i = 0; i < machine.spec().processes.size(); ++i)
    finished = finished && machine.process(i).has_finished();
  return finished;
}

// Bytes, blocks and times that hold at any moment, and those that hold where nothing is left to do.
void expect_sums(Machine& machine, bool is_over) {
  machine.check_conservation();
  const Group& stats = machine.stats();
  const GpuSpec& gpu = machine.spec().gpu;
  const std::uint64_t issued = counter(stats, "gpu.engine.driver.blocks_issued");
  const std::uint64_t done = counter(stats, "gpu.engine.driver.blocks_done");
  const std::uint64_t on_sms =
      sum_of(stats, "gpu.sm", gpu.sm.count, gpu.sm.executes() ? "blocks" : "blocks_done");
  EXPECT_GE(on_sms, done);  // the engine learns of an end later
  EXPECT_LE(on_sms, issued);
  std::uint64_t copied = 0;
  std::uint64_t kernels = 0;
  for (const ProcessResult& process : machine.results()) {
    copied += process.bytes_copied;
    kernels += process.kernels_launched;
  }
  const std::uint64_t moved = sum_of(stats, "gpu.dma", gpu.dma.engines, "bytes_up") +
                              sum_of(stats, "gpu.dma", gpu.dma.engines, "bytes_down");
  EXPECT_LE(moved, copied);
  const std::uint64_t cycles = machine.gpu().core().now().value;
  EXPECT_LE(counter(stats, "gpu.engine.active_cycles"), cycles);
  EXPECT_LE(counter(stats, "gpu.engine.driver.kernels"), kernels * 1000);  // a launch may be cut into pieces
  std::uint64_t held = 0;
  for (std::uint32_t context = 0; context < machine.kernel_log().contexts(); ++context)
    for (const KernelLog::KernelCounters& kernel : machine.kernel_log().kernels(context))
      held += kernel.held_time.value();
  EXPECT_LE(held, 1000 * cycles * gpu.sm.count);
  const std::uint64_t saved = sum_of(stats, "gpu.sm", gpu.sm.count, "saved_bytes");
  const std::uint64_t restored = sum_of(stats, "gpu.sm", gpu.sm.count, "restored_bytes");
  EXPECT_LE(restored, saved);
  if (!is_over) return;
  EXPECT_TRUE(machine.gpu().idle());
  EXPECT_EQ(on_sms, done);
  EXPECT_EQ(issued, done);
  EXPECT_EQ(moved, copied);
}

// A block that lasts longer than the time between two preemptions never ends if each one flushes it. Nor does
// it if each one saves it before its state has come back. Where several applications share an SM without
// quotas, small blocks can keep a large one out for as long as they come. Such a run says so and ends.
bool may_starve(const std::string& failure, const Experiment& experiment) {
  if (failure.rfind("starvation: ", 0) != 0) return false;
  return failure.find(" blocks were flushed") != std::string::npos ||
         failure.find(" blocks were saved") != std::string::npos ||
         experiment.variants.front().at(SmPartitioner::kDecision).name == "fixed";
}

// What `heddle run --timeline=blocks` draws.
TimelineObserver::Shape shape_of(const Machine& machine) {
  const MachineSpec& spec = machine.spec();
  TimelineObserver::Shape shape;
  shape.sms = spec.gpu.sm.count;
  shape.block_slots = spec.gpu.sm.limits.block_slots;
  shape.ksrs = spec.gpu.engine.ksrs;
  shape.core_ps = shape.pcie_ps = [](Cycle cycle) { return cycle.value; };
  shape.application = [](ContextId context) { return std::to_string(context.value); };
  shape.kernel = [](ContextId, std::uint32_t tag) { return std::to_string(tag); };
  return shape;
}

// Runs an experiment to its end, with a look at a random moment before, and returns what it has done.
Json run(const Experiment& experiment, std::uint64_t seed) {
  std::ostringstream drawn;
  Timeline timeline(drawn);
  Machine machine("machine", machine_for(experiment, experiment.variants.front()));
  TimelineObserver observer(timeline, shape_of(machine));
  machine.gpu().observe(static_cast<EngineObserver&>(observer));
  machine.gpu().observe(static_cast<TransferObserver&>(observer));
  std::vector<std::vector<RequestRecord>> records(machine.spec().processes.size());
  machine.request_log().observe([&records](const RequestRecord& record) {
    expect_account_adds_up(record);
    records[record.process].push_back(record);
  });
  const double hz = machine.gpu().core().frequency_hz();
  machine.run_to(Cycle{1 + Random(seed).fork("look").below(static_cast<std::uint64_t>(hz * 5e-3))});
  if (machine.failure().empty()) expect_sums(machine, false);
  machine.run_to(Cycle{static_cast<std::uint64_t>(hz * kMostSimulated)});
  if (may_starve(machine.failure(), experiment)) {
    expect_sums(machine, false);
    return {{"starved", {1}}};
  }
  EXPECT_EQ(machine.failure(), "");
  EXPECT_TRUE(machine.done()) << "has not ended within " << kMostSimulated << " simulated seconds";
  if (testing::Test::HasFailure()) return {};
  // Applications that run once beside the servers may have some work left.
  const Cycle last = machine.gpu().core().now() + static_cast<std::uint64_t>(hz * kMostSimulated);
  while (!experiment.replay && !(have_all_finished(machine) && machine.gpu().idle()) &&
         machine.gpu().core().now() < last)
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US), sc_core::SC_RUN_TO_TIME);
  expect_sums(machine, !experiment.replay);
  Json result;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const HostProcess& process = machine.process(i);
    if (!process.spec().requests) continue;
    const RequestTotals& totals = machine.request_log().totals(i);
    expect_requests_close(*process.spec().requests, records[i], process.service()->ready_ps(), totals);
    result["arrived"].push_back(records[i].size());
    result["shed"].push_back(totals.all.shed);
    result["cut_off"].push_back(totals.all.cut_off);
    result["late"].push_back(totals.measured.all() - totals.in_time);
  }
  const Group& stats = machine.stats();
  result["blocks"].push_back(counter(stats, "gpu.engine.driver.blocks_done"));
  result["saved_bytes"].push_back(sum_of(stats, "gpu.sm", machine.spec().gpu.sm.count, "saved_bytes"));
  result["flushed"].push_back(machine.gpu().driver().blocks_flushed().value());
  return result;
}

class RandomExperiments : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    directory_ = fs::path(testing::TempDir()) / fmt::format("heddle-random-{}-{}", GetParam(), getpid());
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(directory_);
  }

  void write(const RandomExperiment& experiment) const {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    for (const auto& [name, text] : experiment.files) std::ofstream(directory_ / name) << text;
  }

  // Returns what the experiment in the directory has done, or `refused` with the problems.
  Json read_and_run(std::uint64_t seed) const {
    const std::string text = in_child([&]() -> std::string {
      limit_cpu_time();
      try {
        const Experiment experiment = load_experiment((directory_ / "experiment.yaml").string());
        return run(experiment, seed).dump();
      } catch (const config::Error& error) {
        return Json{{"refused", error.problems()}}.dump();
      }
    });
    return text.empty() ? Json() : Json::parse(text);
  }

  // Every problem has the place of a key, and says something of it.
  void expect_refusal(const Json& problems) {
    const std::regex place("([^ ]*\\.yaml):[0-9]+:[0-9]+: ([^ ]+): .+");
    EXPECT_FALSE(problems.empty());
    for (const std::string problem : problems) {
      std::smatch match;
      EXPECT_TRUE(std::regex_match(problem, match, place)) << problem;
      ++refusals_[std::regex_replace(std::regex_replace(problem, std::regex("^[^ ]*: "), ""),
                                     std::regex("[0-9]+"), "N")];
    }
  }

  void count(const RandomExperiment& experiment) {
    for (const auto& [decision, name] : experiment.policies) ++chosen_[decision][name];
    ++runs_;
    cycle_runs_ += experiment.has_cycle_sms ? 1 : 0;
  }

  void add(const Json& result) {
    for (const auto& [name, values] : result.items())
      for (const std::uint64_t value : values) sums_[name] += value;
  }

  void print() const {
    fmt::print("{} experiments ran, {} of them on cycle SMs, {} were refused\n", runs_, cycle_runs_,
               refused_);
    for (const auto& [name, sum] : sums_) fmt::print("  {}: {}\n", name, sum);
    for (const auto& [decision, names] : chosen_)
      for (const auto& [name, runs] : names) fmt::print("  {} {}: {}\n", decision, name, runs);
    for (const auto& [message, times] : refusals_) fmt::print("  refused {} times: {}\n", times, message);
  }

  fs::path directory_;
  std::uint64_t runs_ = 0;
  std::uint64_t cycle_runs_ = 0;
  std::uint64_t refused_ = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> chosen_;  // runs by decision and policy
  std::map<std::string, std::uint64_t> refusals_;                       // by message, without its numbers
  std::map<std::string, std::uint64_t> sums_;
};

// Few experiments have cycle SMs, so that a short test may miss policies that only such SMs have.
bool is_frequent(const std::string& decision, const std::string& name) {
  GpuDescription timed;
  timed.hardware_queues = 1;
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  return (catalogue.is_asked(decision, timed) || catalogue.fallback(decision) != nullptr) &&
         catalogue.misfit(decision, {name, {}}, timed).empty();
}

TEST_P(RandomExperiments, EndOrAreRefusedAndLoseNothing) {
  if (!full_size() && GetParam() >= kShortTests) GTEST_SKIP() << "at full size";
  for (std::uint64_t seed = GetParam() * kSlotOfSeeds; runs_ < experiments_per_test(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}; heddle run {}", seed, (directory_ / "experiment.yaml").string()));
    const RandomExperiment experiment = random_experiment(seed);
    write(experiment);
    const Json result = read_and_run(seed);
    if (HasFailure()) return;
    if (result.contains("refused")) {
      ++refused_;
      expect_refusal(result["refused"]);
      continue;
    }
    count(experiment);
    add(result);
  }
  print();
  for (const char* what : {"arrived", "shed", "cut_off", "late", "blocks", "saved_bytes", "flushed"})
    EXPECT_GT(sums_[what], 0U) << what;
  EXPECT_LT(refused_, runs_);
  EXPECT_LT(sums_["starved"], runs_ / 50);
  for (const auto& [decision, name] : all_policies()) {
    // A split GPU is several machines, and not drawn.
    if (decision == Replacement::kDecision || decision == Instances::kDecision) continue;
    if (!full_size() && !is_frequent(decision, name)) continue;
    EXPECT_GT(chosen_[decision][name], 0U) << decision << ' ' << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExperiments, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace heddle::test
