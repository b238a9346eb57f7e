// Chimera in whole runs of random mixes on small machines with timed SMs: a job, and a task that takes all
// SMs from it once. The same mix runs under each single way to hand an SM over and under chimera. Up to the
// hand-over all four runs are one, so that the ways are compared for the same blocks at the same age.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "models/core/base/random.h"
#include "models/core/link/memory_request.h"
#include "models/machine/machine.h"
#include "tests/support/k20.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kCyclePs = 1416;  // 706 MHz in whole picoseconds
constexpr std::uint64_t kIssue = 10;
constexpr std::uint64_t kGroups = 10;  // of mixes, each a process
constexpr double kRounding = 1;        // of an estimate, in cycles

const std::array<const char*, 4> kWays{"drain", "switch", "flush", "chimera"};
constexpr std::size_t kChimera = 3;

struct Mix {
  MachineSpec machine;  // under chimera
  double bound = 0;     // on the latency, in core cycles
  bool restartable = true;
  double save_bytes_per_cycle = 0;  // of an SM while all store
  std::uint64_t block_bytes = 0;    // registers and shared memory of a block of the job
};

HostProcessSpec process(const char* name, std::uint64_t blocks, const BlockShape& shape,
                        std::uint64_t cycles) {
  HostProcessSpec process;
  process.program.name = name;
  process.program.streams = {"s"};
  ApiKernel kernel;
  kernel.name = "k";
  kernel.blocks = blocks;
  kernel.shape = shape;
  kernel.block_cycles = cycles;
  process.program.kernels = {kernel};
  process.program.calls.resize(1);
  process.program.calls[0].kind = ApiCall::Kind::kLaunch;
  return process;
}

// The blocks of the task fill an SM each, and outlast every block of the job, so that every SM is handed
// over.
Mix random_mix(std::uint64_t seed) {
  Random random(seed);
  Mix mix;
  const auto sms = static_cast<std::uint32_t>(1 + random.below(3));
  const std::uint64_t mean = 300 + random.below(30'000);
  const std::uint32_t warps = 1 + static_cast<std::uint32_t>(random.below(8));
  const BlockShape shape{32 * warps, 8 * static_cast<std::uint32_t>(1 + random.below(8)),
                         256 * static_cast<std::uint32_t>(random.below(17))};
  HostProcessSpec job = process("job", sms * (4 + random.below(60)), shape, mean);
  job.program.kernels[0].jitter_permille = static_cast<std::uint32_t>(random.below(1001));
  mix.restartable = random.below(3) > 0;
  job.program.kernels[0].restartable = mix.restartable;
  HostProcessSpec task = process("task", sms, {1024, 64, 0}, 4 * mean);
  task.start_ps = (8000 + random.below(5 * mean)) * kCyclePs;  // the job's first block is issued before 8000
  task.priority = 1;
  job.seed = seed;
  task.number = 1;
  mix.bound = static_cast<double>(20 + random.below(2 * mean));
  mix.save_bytes_per_cycle = static_cast<double>(1 + random.below(64));
  mix.block_bytes = std::uint64_t{4} * shape.registers_per_thread * shape.threads + shape.shared_bytes;
  MachineSpec& machine = mix.machine;
  machine.gpu = k20_spec();
  machine.gpu.sm.count = sms;
  machine.gpu.policies["sm_partitioner"].name = "ppq";
  machine.gpu.policies["preemption"] = {"chimera", {{"latency", mix.bound}}};
  machine.gpu.bandwidth.dram_bytes_per_second = mix.save_bytes_per_cycle * sms * 1e12 / kCyclePs;
  machine.starvation_limit_ps = 1'000'000'000'000;
  machine.processes = {job, task};
  return mix;
}

// A block of the job on an SM at the decision to hand the SM over.
struct Block {
  std::uint64_t elapsed = 0;
  std::uint64_t left = 0;  // until it left the SM, in whichever way
  Handover way = Handover::kDrain;
  std::uint64_t lost = 0;  // as the engine reports it
};

struct Slice {
  std::optional<double> mean;  // duration of the blocks that have ended, in cycles
  std::map<BlockId, Block> blocks;
  std::uint64_t latency = 0;
};

// Watches the one hand-over of each SM from the job to the task.
class Watch final : public EngineObserver {
 public:
  std::map<SmId, Slice> slices;
  std::map<SmId, Cycle> decided;
  std::uint64_t lost = 0;
  std::uint64_t flushed = 0;

  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    since_[{ksr, block}] = {sm, now};
  }
  void block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    since_[{ksr, block}] = {sm, now};
  }
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&) override {
    ended_cycles_[ksr] += leave(now, sm, ksr, block, Handover::kDrain);
    ++ended_[ksr];
  }
  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    leave(now, sm, ksr, block, Handover::kSwitch);
  }
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&,
                     std::uint64_t cycles) override {
    EXPECT_EQ(leave(now, sm, ksr, block, Handover::kFlush), cycles);
    lost += cycles;
    ++flushed;
  }
  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    if (event != SliceEvent::kLeaving) return;
    EXPECT_EQ(decided.count(sm), 0u);
    decided[sm] = now;
    Slice& slice = slices[sm];
    if (ended_[ksr] > 0)
      slice.mean = static_cast<double>(ended_cycles_[ksr]) / static_cast<double>(ended_[ksr]);
    for (const auto& [block, place] : since_)
      if (block.first == ksr && place.first == sm) slice.blocks[block.second].elapsed = now - place.second;
  }
  void handed_over(Cycle, SmId sm, KsrId, HandoverWay, std::uint64_t cycles) override {
    slices[sm].latency = cycles;
  }

 private:
  using Key = std::pair<KsrId, BlockId>;

  // Returns the cycles for which the block was on the SM.
  std::uint64_t leave(Cycle now, SmId sm, KsrId ksr, BlockId id, Handover way) {
    const std::uint64_t stayed = now - since_.at({ksr, id}).second;
    since_.erase({ksr, id});
    const auto at = decided.find(sm);
    if (at == decided.end()) return stayed;
    Slice& slice = slices[sm];
    const auto block = slice.blocks.find(id);
    if (block == slice.blocks.end() || block->second.left > 0) return stayed;  // it came later
    block->second.left = now - at->second;
    block->second.way = way;
    if (way == Handover::kFlush) block->second.lost = stayed;
    return stayed;
  }

  std::map<Key, std::pair<SmId, Cycle>> since_;  // of the blocks that are on an SM
  std::map<KsrId, std::uint64_t> ended_, ended_cycles_;
};

// The cost of a hand-over as chimera has it: the latency, and the core cycles of blocks in which the SM does
// nothing for the job or which it spends twice.
struct Cost {
  double latency = 0;
  double lost = 0;
};

// `left` has the cycles to the end of each block, and `slowest` the most of those within the bound.
Cost cost_of(const Mix& mix, const std::vector<Handover>& ways, const std::vector<double>& left,
             const std::vector<double>& flush_lost, double save) {
  Cost cost;
  double slowest = 0;
  for (const double cycles : left)
    if (cycles <= mix.bound) slowest = std::max(slowest, cycles);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i] == Handover::kDrain) {
      cost.latency = std::max(cost.latency, left[i]);
      cost.lost += std::max(0.0, slowest - left[i]);
    } else if (ways[i] == Handover::kSwitch) {
      cost.latency = std::max(cost.latency, save);
      cost.lost += 2 * save;
    } else {
      cost.lost += flush_lost[i];
    }
  }
  return cost;
}

double beyond(const Cost& cost, double bound) {
  return std::max(0.0, cost.latency - bound);
}

// One SM of a mix under one policy: what its hand-over cost, and what chimera estimates that it costs.
struct Compared {
  Cost estimated, actual;
};

// `undisturbed` is the same slice under `drain`, whose blocks have run to their ends.
Compared compare(const Mix& mix, const Slice& slice, const Slice& undisturbed) {
  std::vector<Handover> ways;
  std::vector<double> ends, estimated_ends, lost, elapsed;
  double bytes = 0;
  for (const auto& [id, block] : slice.blocks) {
    const auto age = static_cast<double>(block.elapsed);
    ways.push_back(block.way);
    ends.push_back(static_cast<double>(undisturbed.blocks.at(id).left));
    estimated_ends.push_back(slice.mean ? std::floor(std::max(0.0, *slice.mean - age)) : age);
    lost.push_back(static_cast<double>(block.lost));
    elapsed.push_back(age);
    bytes += static_cast<double>(mix.block_bytes);
  }
  double save = 0;  // until the last block was stored
  for (const auto& [id, block] : slice.blocks)
    if (block.way == Handover::kSwitch) save = std::max(save, static_cast<double>(block.left));
  Compared compared;
  compared.actual = cost_of(mix, ways, ends, lost, save);
  compared.actual.latency = static_cast<double>(slice.latency);  // as measured
  compared.estimated = cost_of(mix, ways, estimated_ends, elapsed, bytes / mix.save_bytes_per_cycle);
  return compared;
}

struct Totals {
  std::array<double, 4> beyond{}, lost{};  // by policy
  std::uint64_t slices = 0, mixed = 0;
};

// Chimera is never worse than a single way by more than the errors of the two estimates.
void expect_no_worse(const Mix& mix, const Compared& mine, const Compared& other) {
  const double errors = std::abs(mine.actual.latency - mine.estimated.latency) +
                        std::abs(other.actual.latency - other.estimated.latency);
  EXPECT_LE(beyond(mine.estimated, mix.bound), beyond(other.estimated, mix.bound) + kRounding);
  EXPECT_LE(beyond(mine.actual, mix.bound), beyond(other.actual, mix.bound) + errors + kRounding);
  if (beyond(other.estimated, mix.bound) > 0) return;
  EXPECT_LE(mine.estimated.lost, other.estimated.lost + kRounding);
  EXPECT_LE(mine.actual.lost, other.actual.lost + std::abs(mine.actual.lost - mine.estimated.lost) +
                                  std::abs(other.actual.lost - other.estimated.lost) + kRounding);
}

// The errors of the estimates of flush and switch. A flush passes a message to the SM and gets its answer; a
// block loses that time, too. A block stores a line of state for each warp beside its registers and shared
// memory, and where not all SMs store at once there is more bandwidth for each.
void expect_small_errors(const Mix& mix, const Slice& flushed, const Slice& switched) {
  if (mix.restartable) {
    EXPECT_EQ(flushed.latency, kIssue);
    for (const auto& [id, block] : flushed.blocks) {
      if (block.way != Handover::kFlush) continue;  // it ended before the message came
      EXPECT_EQ(block.lost, block.elapsed + kIssue);
    }
  }
  const std::uint32_t warps = mix.machine.processes[0].program.kernels[0].shape.threads / 32;
  const auto bytes = static_cast<double>(switched.blocks.size() * (mix.block_bytes + warps * kLineBytes));
  EXPECT_LE(static_cast<double>(switched.latency), kIssue + bytes / mix.save_bytes_per_cycle + 2 * kRounding);
}

struct Runs {
  std::array<Watch, 4> watches;
  std::array<std::unique_ptr<Machine>, 4> machines;
};

void compare_runs(const Mix& mix, Runs& runs, Totals& totals) {
  for (const auto& [sm, slice] : runs.watches[0].slices) {
    std::array<Compared, 4> compared;
    for (std::size_t way = 0; way < 4; ++way) {
      const Slice& other = runs.watches[way].slices[sm];
      ASSERT_EQ(runs.watches[way].decided[sm], runs.watches[0].decided[sm]) << kWays[way];
      ASSERT_EQ(other.blocks.size(), slice.blocks.size()) << kWays[way];
      for (const auto& [id, block] : slice.blocks)
        ASSERT_EQ(other.blocks.at(id).elapsed, block.elapsed) << kWays[way];
      compared[way] = compare(mix, other, slice);
      totals.beyond[way] += beyond(compared[way].actual, mix.bound);
      totals.lost[way] += compared[way].actual.lost;
    }
    expect_small_errors(mix, runs.watches[2].slices[sm], runs.watches[1].slices[sm]);
    ++totals.slices;
    for (std::size_t way = 0; way < kChimera; ++way) {
      SCOPED_TRACE(fmt::format("SM {}, beside {}", sm.value, kWays[way]));
      if (std::string(kWays[way]) == "flush" && !mix.restartable) continue;
      expect_no_worse(mix, compared[kChimera], compared[way]);
    }
    const auto& mine = runs.watches[kChimera].slices[sm].blocks;
    totals.mixed +=
        std::any_of(mine.begin(), mine.end(),
                    [&](const auto& entry) { return entry.second.way != mine.begin()->second.way; })
            ? 1
            : 0;
  }
}

// What is flushed is issued again: blocks that started less those that ended are those that left, and the
// cycles that the engine reports as lost are those from their issue on.
void expect_losses_as_reported(Machine& machine, const Watch& watch, bool flushes) {
  const Group& stats = machine.stats();
  const auto counter = [&](const std::string& path) {
    const Counter* found = stats.find(path);
    return found == nullptr ? 0 : found->value();
  };
  std::uint64_t started = 0, done = 0, saved = 0;
  for (std::uint32_t sm = 0; sm < machine.spec().gpu.sm.count; ++sm) {
    started += counter(fmt::format("gpu.sm{}.blocks_started", sm));
    done += counter(fmt::format("gpu.sm{}.blocks_done", sm));
    saved += counter(fmt::format("gpu.sm{}.blocks_saved", sm));
  }
  EXPECT_EQ(started - done - saved, watch.flushed);
  if (!flushes) {
    EXPECT_EQ(watch.flushed, 0u);
    return;
  }
  EXPECT_EQ(counter("gpu.engine.driver.blocks_flushed"), watch.flushed);
  EXPECT_EQ(counter("gpu.engine.driver.lost_cycles"), watch.lost);
  EXPECT_EQ(counter("applications.job.k.lost_cycles"), watch.lost);
}

class ChimeraMixes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ChimeraMixes, AreNeverWorseThanUnderTheBestSingleWayByMoreThanTheErrorOfTheEstimates) {
  const std::uint64_t count = cases(10);
  std::vector<Mix> mixes;
  std::vector<Runs> runs(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    mixes.push_back(random_mix(GetParam() * count + i));
    for (std::size_t way = 0; way < 4; ++way) {
      MachineSpec spec = mixes.back().machine;
      if (way != kChimera) spec.gpu.policies["preemption"] = {kWays[way], {}};
      runs[i].machines[way] = std::make_unique<Machine>(fmt::format("m{}_{}", i, way).c_str(), spec);
      runs[i].machines[way]->gpu().observe(runs[i].watches[way]);
    }
  }
  sc_core::sc_start(1, sc_core::SC_SEC);
  Totals totals;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    SCOPED_TRACE(fmt::format("mix {}", GetParam() * count + i));
    for (std::size_t way = 0; way < 4; ++way) {
      ASSERT_EQ(runs[i].machines[way]->failure(), "") << kWays[way];
      ASSERT_TRUE(runs[i].machines[way]->done()) << kWays[way];
      expect_losses_as_reported(*runs[i].machines[way], runs[i].watches[way], way >= 2);
    }
    compare_runs(mixes[i], runs[i], totals);
  }
  EXPECT_GT(totals.slices, count / 3);
  for (std::size_t way = 0; way < 4; ++way)
    fmt::print("{:8} {:10.0f} cycles beyond the bounds, {:10.0f} lost\n", kWays[way], totals.beyond[way],
               totals.lost[way]);
  fmt::print("{} slices, {} of them mixed\n", totals.slices, totals.mixed);
  // The estimates are worth something.
  EXPECT_LE(totals.beyond[kChimera], totals.beyond[0]);
  EXPECT_LT(totals.lost[kChimera], totals.lost[1]);
}

INSTANTIATE_TEST_SUITE_P(Groups, ChimeraMixes, testing::Range<std::uint64_t>(0, kGroups));

}  // namespace
}  // namespace heddle::test
