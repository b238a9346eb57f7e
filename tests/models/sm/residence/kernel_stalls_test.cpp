// The stalls of each kernel on an SM.

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "models/core/base/random.h"
#include "models/sm/kernel_stats.h"
#include "tests/support/random_code.h"
#include "tests/support/sm/sm_rig.h"
#include "tests/support/synthetic.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kKsrs = 4;

CycleSmSpec with_stalls(bool on = true) {
  CycleSmSpec spec = gtx480_sm();
  spec.kernel_stalls = on;
  return spec;
}

bool operator==(const KernelStalls& a, const KernelStalls& b) {
  return a.active == b.active && a.waiting == b.waiting;
}

std::unique_ptr<KernelProgram> random_program(std::uint64_t seed) {
  KernelText text;
  text.code = RandomCode(seed, RandomCode::Memory::kAll).with_barriers(2);
  text.blocks = 8;
  text.threads = 96;
  text.registers = 63;
  text.shared = "2048B";
  return program_of(text);
}

// Launches a random kernel in each of the KSRs 0 .. kernels - 1. A kernel has one to three blocks.
struct RandomKernels {
  RandomKernels(SmRig& rig, std::uint64_t seed, std::uint32_t kernels) {
    for (std::uint32_t ksr = 0; ksr < kernels; ++ksr) {
      programs.push_back(random_program(10 * seed + ksr));
      rig.launch(*programs.back(), 3, ksr,
                 1 + static_cast<std::uint32_t>((seed + ksr) % (kernels > 2 ? 2 : 3)));
    }
  }
  std::vector<std::unique_ptr<KernelProgram>> programs;
};

// Counts the stalls of each kernel warp by warp, from the state of the SM after each tick.
class Recount {
 public:
  explicit Recount(SmRig& rig) : rig_(rig), instructions_(kKsrs), stalls_(kKsrs) {}
  const std::vector<KernelStalls>& stalls() const { return stalls_; }

  void operator()() {
    const ResidentTable& table = rig_.core().residence().table();
    // A warp that has got instructions in this cycle had none when the cycle was accounted: decode comes
    // last.
    const WarpMask buffered = rig_.core().pipeline().masks().buffered;
    const WarpMask decoded = buffered & ~buffered_;
    buffered_ = buffered;
    std::vector<WaitReasons> sets(kKsrs);
    std::vector<bool> resident(kKsrs);
    for (std::size_t b = 0; b < table.blocks.size(); ++b) {
      const ResidentBlock& block = table.blocks[b];
      if (block.stream == nullptr) continue;
      resident[block.ksr.value] = true;
      for (std::uint32_t slot = 0; slot < kMostWarps && !block.paused; ++slot)
        if ((table.live & bit(slot)) != 0 && table.warps[slot].block == b)
          sets[block.ksr.value] |= reason(reason_of(slot, (decoded & bit(slot)) != 0));
    }
    for (std::uint32_t ksr = 0; ksr < kKsrs; ++ksr) {
      const std::uint64_t issued = rig_.core().residence().work().of(KsrId{ksr}).warp_instructions;
      if (issued != instructions_[ksr])
        ++stalls_[ksr].active;
      else if (resident[ksr])
        ++stalls_[ksr].waiting[sets[ksr]];
      instructions_[ksr] = issued;
    }
  }

 private:
  Bucket reason_of(std::uint32_t slot, bool decoded) const {
    const IssueWarp& warp = collector_table(rig_.core()).warps[slot];
    if ((rig_.core().residence().table().at_barrier & bit(slot)) != 0) return Bucket::kBarrier;
    if (warp.buffered == 0 || decoded) return Bucket::kBufferEmpty;
    const Instruction& code = *warp.buffer[0];
    const Scoreboard::Wait wait = warp.scoreboard.wait(code);
    if (wait.memory || (code.operation == Operation::kFence && (warp.stores > 0 || warp.in_flight > 0)))
      return Bucket::kScoreboardMemory;
    if (wait.pending) return Bucket::kScoreboardAlu;
    return is_memory(code.operation) ? Bucket::kPipelineMemory : Bucket::kPipelineAlu;
  }

  SmRig& rig_;
  WarpMask buffered_ = 0;
  std::vector<std::uint64_t> instructions_;
  std::vector<KernelStalls> stalls_;
};

TEST(KernelStalls, OfSeveralKernelsAreWhatARecountOfTheirWarpsGives) {
  std::uint64_t sets_seen = 0;
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto kernels = static_cast<std::uint32_t>(2 + seed % 3);
    SmRig rig(with_stalls());
    Recount recount(rig);
    rig.after_tick = [&] { recount(); };
    const RandomKernels launched(rig, seed, kernels);
    rig.run(false);
    for (std::uint32_t ksr = 0; ksr < kernels; ++ksr) {
      const KernelStalls counted = rig.core().kernel_accounts().stalls(KsrId{ksr});
      EXPECT_EQ(counted.active, recount.stalls()[ksr].active) << ksr;
      EXPECT_EQ(counted.waiting, recount.stalls()[ksr].waiting) << ksr;
      EXPECT_GT(counted.active, 0u);
      for (const std::uint64_t count : counted.waiting) sets_seen += count > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(sets_seen, 100u);
}

TEST(KernelStalls, AreTheSameWhetherTheSmSleepsOrNot) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    std::vector<std::vector<KernelStalls>> results;
    for (const bool sleepy : {true, false}) {
      SmRig rig(with_stalls(), 400);
      const RandomKernels launched(rig, seed, 3);
      const std::uint64_t cycles = rig.run(sleepy);
      EXPECT_TRUE(!sleepy || rig.ticks < cycles) << seed;
      results.emplace_back();
      for (std::uint32_t ksr = 0; ksr < 3; ++ksr)
        results.back().push_back(rig.core().kernel_accounts().stalls(KsrId{ksr}));
    }
    for (std::uint32_t ksr = 0; ksr < 3; ++ksr) EXPECT_TRUE(results[0][ksr] == results[1][ksr]) << seed;
  }
}

// Runs a random kernel, and reads the buckets of the SM and the stalls of the kernel after each tick. Returns
// what was read, by the cycle of the tick.
using Read = std::map<std::uint64_t, std::pair<BucketCycles, std::array<std::uint64_t, 2>>>;
Read read_after_ticks(std::uint64_t seed, bool sleepy, bool stalls) {
  SmRig rig(with_stalls(stalls), 400);
  Read read;
  std::uint64_t active = 0;  // earlier cycles in which a warp issued
  std::uint64_t issued = 0;
  rig.after_tick = [&] {
    rig.core().account_until(rig.now());
    const BucketCycles buckets = rig.core().accounts().totals().buckets;
    EXPECT_EQ(std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0}), rig.now().value);
    EXPECT_EQ(buckets[static_cast<std::size_t>(Bucket::kActive)], active);
    active += rig.core().pipeline().issued() != issued ? 1 : 0;
    issued = rig.core().pipeline().issued();
    KernelStalls kernel;
    if (stalls) kernel = rig.core().kernel_accounts().stalls(KsrId{0});
    read[rig.now().value] = {buckets, {kernel.active, kernel.cycles()}};
  };
  const RandomKernels launched(rig, seed, 1);
  rig.run(sleepy);
  return read;
}

TEST(KernelStalls, AndBucketsThatAreReadInAnyCycleAreThoseOfTheCyclesBefore) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    for (const bool stalls : {false, true}) {
      const Read every = read_after_ticks(seed, false, stalls);
      const Read some = read_after_ticks(seed, true, stalls);
      EXPECT_LT(some.size(), every.size());
      for (const auto& [cycle, read] : some) ASSERT_TRUE(read == every.at(cycle)) << seed << ": " << cycle;
    }
  }
}

TEST(KernelStalls, OfASingleKernelAreTheBucketsOfTheSmInAnyStallOrder) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    CycleSmSpec spec = with_stalls();
    Random random(seed);
    random.shuffle(spec.stall_order);
    SmRig rig(spec);
    const RandomKernels launched(rig, seed, 1);
    rig.run();
    const KernelStalls stalls = rig.core().kernel_accounts().stalls(KsrId{0});
    const BucketCycles sm = rig.core().accounts().totals().buckets;
    WaitReasons before = 0;
    for (const Bucket bucket : spec.stall_order) {
      const std::uint64_t first = stalls.any_of(before | reason(bucket)) - stalls.any_of(before);
      EXPECT_EQ(first, sm[static_cast<std::size_t>(bucket)]) << seed << name_of(bucket);
      before |= reason(bucket);
    }
    EXPECT_EQ(stalls.active, sm[static_cast<std::size_t>(Bucket::kActive)]);
    // The rig starts the kernel in cycle 1 and accounts one cycle after its end.
    EXPECT_EQ(stalls.waiting[0] + 2, sm[static_cast<std::size_t>(Bucket::kNoWarp)]);
  }
}

TEST(KernelStalls, OfKernelsThatFollowInAKsrAreKeptApartByTheirTag) {
  ScriptedProgram one({std::vector<ScriptedInstruction>(50, alu(Operation::kIntAdd, {0}, {0, 1}))});
  ScriptedProgram two({std::vector<ScriptedInstruction>(20, alu(Operation::kFloatDiv, {0}, {0, 1}))});
  SmRig rig(with_stalls());
  const auto run = [&](KernelProgram& program, std::uint32_t tag) {
    rig.launch(program, 1, 2, 1, tag);
    rig.run();
    return rig.core().kernel_accounts().stalls(KsrId{2});
  };
  const KernelStalls first = run(one, 5);
  const KernelStalls second = run(two, 6);
  const KernelStalls third = run(one, 5);
  const KernelAccounts& accounts = rig.core().kernel_accounts();
  EXPECT_EQ(accounts.stalls(AccountId{5}).active, 100u);
  EXPECT_EQ(accounts.stalls(AccountId{6}).active, 20u);
  EXPECT_EQ(accounts.stalls(AccountId{6}).cycles(), second.cycles() - first.cycles());
  EXPECT_EQ(accounts.stalls(AccountId{5}).cycles(), third.cycles() - second.cycles() + first.cycles());
  EXPECT_EQ(accounts.stalls(AccountId{1}).cycles(), 0u);
  rig.core().reset();
  EXPECT_EQ(accounts.stalls(KsrId{2}).cycles(), 0u);
  EXPECT_EQ(accounts.stalls(AccountId{5}).cycles(), 0u);
}

TEST(KernelStalls, AreNotCountedUnlessTheSpecAsksForIt) {
  SmRig rig(with_stalls(false));
  const RandomKernels launched(rig, 1, 2);
  rig.run();
  EXPECT_FALSE(rig.core().kernel_accounts().on());
}

TEST(KernelStallStats, BothReadingsAddUpToTheCyclesOfTheKernel) {
  Random random(4);
  const std::vector<Bucket> order{Bucket::kBarrier,       Bucket::kPipelineAlu,      Bucket::kBufferEmpty,
                                  Bucket::kScoreboardAlu, Bucket::kScoreboardMemory, Bucket::kPipelineMemory};
  Group group("stalls");
  KernelStallStats stats(order, group);
  const auto value = [&](const std::string& name) { return group.find("stalls." + name)->value(); };
  for (int i = 0; i < 100; ++i) {
    KernelStalls stalls;
    stalls.active = random.below(100);
    for (std::uint64_t& count : stalls.waiting) count = random.below(10);
    stats.set(stalls);
    std::uint64_t some = value("active") + value("no_warp");
    std::uint64_t all = some + value("all.mixed");
    for (const Bucket bucket : order) {
      some += value(std::string("some.") + name_of(bucket));
      all += value(std::string("all.") + name_of(bucket));
    }
    EXPECT_EQ(value("cycles"), stalls.cycles());
    EXPECT_EQ(some, stalls.cycles());
    EXPECT_EQ(all, stalls.cycles());
    EXPECT_EQ(value("some.barrier"), stalls.any_of(reason(Bucket::kBarrier)));
    EXPECT_EQ(value("all.barrier"), stalls.all_of(reason(Bucket::kBarrier)));
    EXPECT_EQ(value("some.pipeline_memory"), stalls.all_of(reason(Bucket::kPipelineMemory)));
  }
}

}  // namespace
}  // namespace heddle::test
