// Samples in a whole machine with cycle SMs: they add up, they do not depend on the order of construction or
// on sleeping, and a partitioner can act on them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/gpu/gpu.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// A partitioner that shares every SM among the contexts, with at most `quota` blocks of the oldest kernel of
// each. When an SM has waited for memory for more than half of a sample, the kernel whose loads took longest
// there loses half of its blocks. It records every sample.
class Feedback final : public SmPartitioner {
 public:
  explicit Feedback(const PolicyParameters& parameters)
      : period_(static_cast<std::uint64_t>(parameters["period"])), acts_(parameters["acts"] != 0) {}

  std::uint64_t sample_period() const override { return period_; }

  void partition(const MachineView& machine, Partition& partition) override {
    for (std::size_t sm = 0; sm < machine.sms.size(); ++sm) {
      for (const KernelView& kernel : machine.kernels) add(partition.slices(sm), machine, kernel);
      const SmSample& sample = machine.sms[sm].sample;
      seen_.resize(machine.sms.size());
      if (sample.until == seen_[sm]) continue;
      seen_[sm] = sample.until;
      keep(sm, sample);
      if (acts_) act(machine, sample, partition.slices(sm));
    }
  }

  const Json& kept() const { return kept_; }

 private:
  static constexpr std::uint32_t kQuota = 4;

  static void add(std::vector<Slice>& slices, const MachineView& machine, const KernelView& kernel) {
    const bool has_one = std::any_of(slices.begin(), slices.end(), [&](const Slice& slice) {
      return machine.kernel(slice.kernel).context == kernel.context;
    });
    if (!has_one && kernel.unissued > 0) slices.push_back({kernel.ksr, kQuota});
  }

  static void act(const MachineView& machine, const SmSample& sample, std::vector<Slice>& slices) {
    const std::uint64_t waits =
        sample.cycles(Bucket::kScoreboardMemory) + sample.cycles(Bucket::kPipelineMemory);
    if (2 * waits <= sample.cycles()) return;
    Slice* slowest = nullptr;
    std::uint64_t longest = 0;
    for (Slice& slice : slices) {
      const KernelSample* kernel = sample.find(machine.kernel(slice.kernel).kernel);
      if (kernel == nullptr || kernel->counts.load_instructions == 0) continue;
      const std::uint64_t latency = kernel->counts.load_latency / kernel->counts.load_instructions;
      if (latency <= longest) continue;
      longest = latency;
      slowest = &slice;
    }
    if (slowest != nullptr) slowest->quota = std::max(1u, slowest->quota / 2);
  }

  void keep(std::size_t sm, const SmSample& sample) {
    Json kernels = Json::array();
    for (const KernelSample& kernel : sample.kernels) {
      Json counts;
      for (const KernelCounts::Field& field : KernelCounts::fields())
        counts[field.name] = kernel.counts.*field.value;
      kernels.push_back({{"kernel", kernel.kernel.value},
                         {"ksr", kernel.ksr.value},
                         {"resident", kernel.resident},
                         {"counts", counts}});
    }
    kept_.push_back({{"sm", sm},
                     {"from", sample.from.value},
                     {"until", sample.until.value},
                     {"buckets", sample.totals.buckets},
                     {"kernels", kernels}});
  }

  const std::uint64_t period_;
  const bool acts_;
  std::vector<Cycle> seen_;  // by SM
  Json kept_ = Json::array();
};

HEDDLE_POLICY(SmPartitioner, Feedback, "test-feedback", "shares SMs, and acts on samples", "this test",
              {{"period", "cycles", 0.0, 0, 1e9, "of samples", true},
               {"acts", "1", 0.0, 0, 1, "whether it does", true}});

struct Sampled {
  CycleRun run;
  Json samples;

  std::uint64_t sum(const std::string& field, std::int64_t sm, std::int64_t kernel = -1) const {
    std::uint64_t sum = 0;
    for (const Json& sample : samples) {
      if (sm >= 0 && sample["sm"] != sm) continue;
      for (const Json& entry : sample["kernels"])
        if (kernel < 0 || entry["kernel"] == kernel) sum += entry["counts"][field].get<std::uint64_t>();
    }
    return sum;
  }
  // Returns the most blocks of the kernel on any SM at the end of a window within these cycles.
  std::uint32_t most_resident(std::uint64_t kernel, std::uint64_t from, std::uint64_t until) const {
    std::uint32_t most = 0;
    for (const Json& sample : samples)
      for (const Json& entry : sample["kernels"])
        if (entry["kernel"] == kernel && sample["until"] >= from && sample["until"] < until)
          most = std::max(most, entry["resident"].get<std::uint32_t>());
    return most;
  }
};

Sampled run_sampled(const std::vector<HostProcessSpec>& processes, std::uint64_t period, bool acts = false,
                    Build build = Build::kPlain, const std::vector<std::string>& settings = {"sm.count=5"}) {
  GpuSpec gpu = shared_gtx480("fcfs-m", settings);
  gpu.policies["sm_partitioner"] = {"test-feedback",
                                    {{"period", static_cast<double>(period)}, {"acts", acts ? 1.0 : 0.0}}};
  Sampled sampled;
  sampled.run = run(gpu, processes, build, [](Gpu& machine) {
    return dynamic_cast<Feedback&>(machine.partitioner()).kept().dump();
  });
  sampled.samples = Json::parse(sampled.run.note);
  return sampled;
}

// Both kernels fill the block slots of an SM. The loads of the first kernel wait for DRAM.
std::vector<HostProcessSpec> pair() {
  return {
      process_of(synthetic("[{loop: 6, body: [{load: global, pattern: random, region: 64MiB, lines: 8, to: "
                           "x}, {op: int_add, from: x}]}]",
                           {160, 64})),
      process_of(synthetic("[{loop: 12, body: [{load: global, pattern: working_set, region: 2KiB, to: x}, "
                           "{op: float_fma, count: 12, from: x}]}]",
                           {160, 64}))};
}

void expect_sums(const Sampled& sampled, std::uint32_t sms) {
  const CycleRun& run = sampled.run;
  for (std::uint32_t sm = 0; sm < sms; ++sm) {
    for (const KernelCounts::Field& field : KernelCounts::fields())
      EXPECT_EQ(sampled.sum(field.name, sm), run.at(fmt::format("gpu.sm{}.{}", sm, field.name)))
          << sm << field.name;
    BucketCycles buckets{};
    std::uint64_t until = 0;
    for (const Json& sample : sampled.samples) {
      if (sample["sm"] != sm) continue;
      EXPECT_EQ(sample["from"], until) << "a gap";
      until = sample["until"];
      for (std::size_t b = 0; b < kBuckets; ++b) buckets[b] += sample["buckets"][b].get<std::uint64_t>();
    }
    EXPECT_LE(until, run.core_cycles);
    // Nothing runs after `until`.
    buckets[static_cast<std::size_t>(Bucket::kNoWarp)] += run.core_cycles - until;
    for (std::size_t b = 0; b < kBuckets; ++b)
      EXPECT_EQ(buckets[b], run.at(fmt::format("gpu.sm{}.cycles.{}", sm, name_of(static_cast<Bucket>(b)))));
  }
}

TEST(Samples, AddUpToTheCountersAndReadingThemChangesNothing) {
  const Sampled never = run_sampled(pair(), 0);
  EXPECT_EQ(never.samples.size(), 0u);
  for (const std::uint64_t period : {97u, 5000u, 1000000u}) {
    SCOPED_TRACE(period);
    const Sampled sampled = run_sampled(pair(), period);
    expect_closed(sampled.run);
    expect_sums(sampled, 5);
    const std::uint64_t cycles = sampled.run.cycles();
    EXPECT_GE(sampled.samples.size(), 5 * (2 + cycles / period));
    EXPECT_LE(sampled.samples.size(), 5 * (6 + cycles / period));
    // Only the number of calls and their cost may differ.
    for (const auto& [path, value] : never.run.counters) {
      const std::string last = path.substr(path.rfind('.') + 1);
      if (last == "ticks" || last == "wakes" || last == "calls" || last == "scheduling_points") continue;
      EXPECT_EQ(sampled.run.at(path), value) << path;
    }
    EXPECT_GT(sampled.run.at("gpu.engine.driver.scheduling_points"),
              never.run.at("gpu.engine.driver.scheduling_points"));
  }
}

// Twelve launches of two kernels share two KSRs, several of them within one window.
TEST(Samples, EachKernelHasItsOwnWhereverItsKsrWasUsedBefore) {
  std::vector<HostProcessSpec> processes = pair();
  for (HostProcessSpec& process : processes) {
    process.program.kernels[0].blocks = 7;
    const ApiCall launch = process.program.calls.back();
    process.program.calls.insert(process.program.calls.end(), 5, launch);
  }
  const Sampled sampled =
      run_sampled(processes, 50'000, false, Build::kPlain, {"sm.count=2", "engine.ksrs=2"});
  expect_sums(sampled, 2);
  std::map<std::uint64_t, int> instructions;  // number of launches by instructions of a launch
  for (std::int64_t kernel = 0; kernel < 12; ++kernel) {
    EXPECT_EQ(sampled.sum("blocks", -1, kernel), 7u) << kernel;
    ++instructions[sampled.sum("warp_instructions", -1, kernel)];
  }
  ASSERT_EQ(instructions.size(), 2u);
  EXPECT_EQ(instructions.begin()->second, 6);
  std::size_t most = 0;
  for (const Json& sample : sampled.samples) most = std::max(most, sample["kernels"].size());
  EXPECT_GT(most, 2u);
}

TEST(Samples, APartitionerThatActsOnThemMovesBlocksAndTheWholeIsDeterministic) {
  const Sampled still = run_sampled(pair(), 1000);
  const Sampled acts = run_sampled(pair(), 1000, true);
  expect_closed(acts.run);
  expect_sums(acts, 5);
  EXPECT_EQ(acts.sum("blocks", -1), 320u);
  const std::uint64_t slow = still.sum("load_latency", -1, 0) > still.sum("load_latency", -1, 1) ? 0 : 1;
  for (const Sampled* which : {&still, &acts}) EXPECT_EQ(which->most_resident(slow, 0, 3'000), 4u);
  EXPECT_EQ(still.most_resident(slow, 10'000, 20'000), 4u);
  EXPECT_EQ(acts.most_resident(slow, 10'000, 20'000), 1u);
  EXPECT_NE(acts.run.cycles(), still.run.cycles());
  for (const Build build : {Build::kReversed, Build::kSleepless}) {
    const Sampled again = run_sampled(pair(), 1000, true, build);
    EXPECT_EQ(again.samples, acts.samples);
    expect_same(acts.run, again.run, build == Build::kReversed);
  }
}

// Returns the paths of those groups of statistics that hold the stalls of one kernel.
std::vector<std::string> stall_groups(const CycleRun& run) {
  const std::string end = ".stalls.cycles";
  std::vector<std::string> groups;
  for (const auto& [path, value] : run.counters)
    if (path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0)
      groups.push_back(path.substr(0, path.size() - 6));
  return groups;
}

TEST(KernelStalls, OfApplicationsAddUpInBothReadingsAndCountingThemChangesNothing) {
  const GpuSpec with = shared_gtx480("even", {"sm.count=3", "sm.kernel_stalls=on"});
  const CycleRun counted = run(with, pair());
  const CycleRun plain = run(shared_gtx480("even", {"sm.count=3"}), pair());
  EXPECT_TRUE(stall_groups(plain).empty());
  const std::vector<std::string> groups = stall_groups(counted);
  ASSERT_EQ(groups.size(), 2u);
  std::uint64_t cycles = 0;
  for (const std::string& group : groups) {
    const std::uint64_t busy = counted.at(group + "cycles");
    const std::uint64_t either = counted.at(group + "active") + counted.at(group + "no_warp");
    EXPECT_GT(counted.at(group + "active"), 0u);
    EXPECT_EQ(either + counted.sum(group + "some.*"), busy);
    EXPECT_EQ(either + counted.sum(group + "all.*"), busy);
    EXPECT_LE(busy, counted.sum("gpu.sm*.busy_cycles"));
    cycles += busy;
  }
  EXPECT_GT(cycles, counted.sum("gpu.sm*.busy_cycles"));  // kernels share SMs
  for (const auto& [path, value] : plain.counters) EXPECT_EQ(counted.at(path), value) << path;
  for (const Build build : {Build::kReversed, Build::kSleepless})
    expect_same(counted, run(with, pair(), build), build == Build::kReversed);
}

TEST(KernelStalls, OnOneKernelAreTheBucketsOfTheSms) {
  const CycleRun run_alone = run(gtx480({"sm.count=2", "sm.kernel_stalls=on"}), {pair()[0]});
  const std::vector<std::string> groups = stall_groups(run_alone);
  ASSERT_EQ(groups.size(), 1u);
  for (const char* bucket :
       {"pipeline_memory", "pipeline_alu", "scoreboard_memory", "scoreboard_alu", "buffer_empty", "barrier"})
    EXPECT_EQ(run_alone.at(groups[0] + "some." + bucket),
              run_alone.at(std::string("gpu.sm_cycles.") + bucket))
        << bucket;
  EXPECT_EQ(run_alone.at(groups[0] + "active"), run_alone.at("gpu.sm_cycles.active"));
  EXPECT_EQ(run_alone.at(groups[0] + "cycles"), run_alone.sum("gpu.sm*.busy_cycles"));
}

// The requests for samples go on, so that an event is always pending. The deadlock must be found
// nevertheless.
TEST(Samples, DoNotHideADeadlock) {
  ScriptedInstruction barrier = alu(Operation::kBarrier, {}, {});
  const ScriptedInstruction end = alu(Operation::kExit, {}, {});
  std::vector<std::vector<ScriptedInstruction>> warps{{barrier, end}, {barrier, end}};
  warps[1][0].code.barrier = 1;
  const ApiProgram stuck =
      launch_of([warps] { return std::make_unique<ScriptedProgram>(warps); }, {1, 2 * kLanes, 16, 0});
  const Sampled sampled = run_sampled({process_of(stuck)}, 500);
  EXPECT_EQ(sampled.run.failure.rfind("deadlock: no progress for 2", 0), 0u) << sampled.run.failure;
  EXPECT_GT(sampled.samples.size(), 1000u);
}

}  // namespace
}  // namespace heddle::test
