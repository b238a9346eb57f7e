// What the execution engine may rely on at the dispatch socket of every SM model. A model that comes is a row
// of kModels.

#include <gtest/gtest.h>

#include <algorithm>

#include "models/sm/cycle_sm.h"
#include "models/sm/timed_sm.h"
#include "tests/support/k20.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/rig.h"
#include "tests/support/sm/sm_rig.h"
#include "tests/support/sm_requests.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kKsrs = 3;
constexpr std::uint64_t kSetUp = 20;   // cycles on the SM
constexpr std::uint64_t kLasts = 600;  // about so many cycles a block of the kernel takes
constexpr BlockShape kShape{64, 16, 0};

// An SM of one model with all that it needs to run blocks of one kernel.
class Model {
 public:
  virtual ~Model() = default;
  virtual SmModule& sm() = 0;
};

class TimedModel final : public Model {
 public:
  explicit TimedModel(ClockDomain& clock) : sm_("sm", spec(), kKsrs, kSetUp, clock) {}
  SmModule& sm() override { return sm_; }

 private:
  static SmSpec spec() {
    SmSpec spec;
    spec.count = 1;
    spec.limits = k20_limits();
    spec.may_flush = true;
    return spec;
  }
  TimedSm sm_;
};

class CycleModel final : public Model {
 public:
  explicit CycleModel(ClockDomain& clock, const SmSpec& spec = collector())
      : spec_(spec), memory_("memory", clock, {8, 2, 150, 64, 0, 5}) {
    // Additions that depend on each other are 10 cycles apart.
    const std::vector<ScriptedInstruction> warp(kLasts / 10, alu(Operation::kIntAdd, {0}, {0, 1}));
    library_.add_application({[warp](const KernelLaunch&) {
      return std::make_unique<ScriptedProgram>(std::vector<std::vector<ScriptedInstruction>>(2, warp));
    }});
    CycleSm::Deps deps{clock, library_, meter_, {}};
    for (std::uint32_t i = 0; i < spec_.cycle_sm().schedulers; ++i)
      deps.schedulers.push_back(PolicyRegistry<WarpScheduler>::make({"gto", {}}));
    sm_ = std::make_unique<CycleSm>("sm", spec_, 0, kKsrs, kSetUp, std::move(deps));
    sm_->memory().base_protocol().bind(memory_.socket());
  }
  SmModule& sm() override { return *sm_; }

 private:
  static SmSpec collector() {
    SmSpec spec = gtx480().sm;
    spec.may_flush = true;
    return spec;
  }
  const SmSpec spec_;
  MemorySink memory_;
  InstructionMeter meter_{1};
  ProgramLibrary library_;
  std::unique_ptr<CycleSm> sm_;
};

class SubcoreModel final : public Model {
 public:
  explicit SubcoreModel(ClockDomain& clock) : model_(clock, spec()) {}
  SmModule& sm() override { return model_.sm(); }

 private:
  static SmSpec spec() {
    SmSpec spec =
        gtx480({"pipeline.kind=subcore", "policies.warp_scheduler=cggty", "operations.int_add=[sp, 8, 1]",
                "caches.l0.size=2KiB", "caches.l0.ways=4", "caches.l0.mshrs=4", "caches.l0.merges=16",
                "caches.l0.latency=2cycles", "caches.l0.way=39cycles"})
            .sm;
    spec.may_flush = true;
    return spec;
  }
  CycleModel model_;
};

struct ModelCase {
  const char* name;
  std::unique_ptr<Model> (*make)(ClockDomain&);
};
void PrintTo(const ModelCase& tested, std::ostream* out) {
  *out << tested.name;
}
template <class M>
std::unique_ptr<Model> make(ClockDomain& clock) {
  return std::make_unique<M>(clock);
}
constexpr ModelCase kModels[] = {
    {"timed", make<TimedModel>}, {"cycle", make<CycleModel>}, {"subcore", make<SubcoreModel>}};

class SmContract : public testing::TestWithParam<ModelCase> {
 protected:
  SmContract() : clock_("clock", 1e9), model_(GetParam().make(clock_)), engine_("engine", clock_) {
    engine_.socket.bind(model_->sm().dispatch);
  }

  void set_up(std::uint32_t ksr) {
    KernelLaunch launch;
    launch.kernel = KernelId{ksr};
    launch.account = AccountId{ksr};
    launch.context = ContextId{0};
    launch.blocks = 100;
    launch.shape = kShape;
    launch.block_cycles = kLasts;
    engine_.send(set_up_request(ksr, launch));
  }
  void send_at(std::uint64_t cycle, const SmRequest& request) {
    run_to(clock_, Cycle{cycle - 1});
    engine_.send(request);
  }
  void issue_at(std::uint64_t cycle, std::uint32_t ksr, std::uint64_t block) {
    send_at(cycle, issue_request(ksr, block));
  }
  // The SM has no clock of its own that would end a simulation; everything is over long before.
  void run_to_the_end() { run_to(clock_, clock_.now() + 50'000); }
  template <class Kind>
  std::vector<std::uint64_t> blocks() const {  // of the replies of a kind, in their order
    std::vector<std::uint64_t> blocks;
    for (const auto& reply : engine_.replies)
      if (const auto* found = std::get_if<Kind>(&reply.message)) blocks.push_back(found->block.value);
    return blocks;
  }
  std::uint64_t counter(const std::string& name) {
    model_->sm().update_stats(clock_.now());
    return model_->sm().stats().find("sm." + name)->value();
  }
  static std::vector<std::uint64_t> first(std::uint64_t blocks) {
    std::vector<std::uint64_t> all(blocks);
    for (std::uint64_t i = 0; i < blocks; ++i) all[i] = i;
    return all;
  }
  static std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> blocks) {
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }

  ClockDomain clock_;
  std::unique_ptr<Model> model_;
  Requester<SmRequest, SmReply> engine_;
};

TEST_P(SmContract, ASetUpIsAnsweredOnceAfterItsTime) {
  set_up(1);
  run_to_the_end();
  ASSERT_EQ(engine_.replies.size(), 1u);
  EXPECT_EQ(std::get<SliceReady>(engine_.replies[0].message).ksr, KsrId{1});
  EXPECT_EQ(engine_.replies[0].due, Cycle{1 + kSetUp + 1});
  EXPECT_TRUE(model_->sm().idle());
}

TEST_P(SmContract, EachBlockIsDoneOnceAndCountsAsOne) {
  set_up(0);
  set_up(2);
  for (std::uint64_t block = 0; block < 3; ++block) {
    issue_at(50 + 10 * block, 0, block);
    issue_at(50 + 10 * block, 2, 10 + block);
  }
  run_to(clock_, Cycle{90});
  EXPECT_FALSE(model_->sm().idle());
  run_to_the_end();
  EXPECT_EQ(sorted(blocks<BlockDone>()), (std::vector<std::uint64_t>{0, 1, 2, 10, 11, 12}));
  for (const auto& reply : engine_.replies) {
    const auto* done = std::get_if<BlockDone>(&reply.message);
    if (done == nullptr) continue;
    EXPECT_EQ(done->work.blocks, 1u);
    EXPECT_EQ(done->ksr, KsrId{done->block.value < 10 ? 0u : 2u});
  }
  EXPECT_TRUE(model_->sm().idle());
  EXPECT_EQ(counter("blocks_started"), 6u);
  EXPECT_EQ(counter("blocks_done"), 6u);
}

TEST_P(SmContract, ASecondBlockOfAFreedSlotTakesAsLongAsTheFirst) {
  set_up(0);
  issue_at(100, 0, 0);
  run_to_the_end();
  const std::uint64_t later = clock_.now().value + 100;
  issue_at(later, 0, 1);
  run_to_the_end();
  std::vector<std::uint64_t> ends;
  for (const auto& reply : engine_.replies)
    if (std::holds_alternative<BlockDone>(reply.message)) ends.push_back(reply.due.value);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_GE(ends[0] - 100, kLasts);
  EXPECT_LE(ends[1] - later, ends[0] - 100);  // the code of the second one may be in a cache
  EXPECT_GE(ends[1] - later, kLasts);
}

TEST_P(SmContract, AHaltEndsAllBlocksOfItsKernelAndNoOther) {
  set_up(0);
  set_up(1);
  for (std::uint64_t block = 0; block < 3; ++block) issue_at(50, 0, block);
  issue_at(50, 1, 10);
  send_at(200, halt_request(0));
  run_to(clock_, Cycle{200 + kLasts / 2});
  EXPECT_EQ(sorted(blocks<BlockDone>()), first(3));
  run_to_the_end();
  EXPECT_EQ(blocks<BlockDone>().back(), 10u);
  EXPECT_TRUE(model_->sm().idle());
}

TEST_P(SmContract, AFlushedBlockLeavesAndStartsOver) {
  set_up(0);
  issue_at(50, 0, 0);
  issue_at(50, 0, 1);
  send_at(300, flush_request(0, 0));
  run_to(clock_, Cycle{300 + kLasts / 2});
  EXPECT_EQ(blocks<BlockFlushed>(), first(1));
  const std::uint64_t again = clock_.now().value + 1;
  issue_at(again, 0, 0);
  run_to_the_end();
  EXPECT_EQ(blocks<BlockDone>(), (std::vector<std::uint64_t>{1, 0}));
  EXPECT_GE(engine_.replies.back().due.value - again, kLasts);
  EXPECT_EQ(counter("blocks_started"), 3u);
  EXPECT_EQ(counter("blocks_done") + counter("blocks_flushed"), 3u);
  EXPECT_TRUE(model_->sm().idle());
}

TEST_P(SmContract, AFlushOfABlockThatHasEndedDoesNothing) {
  set_up(0);
  issue_at(50, 0, 0);
  run_to_the_end();
  send_at(clock_.now().value + 1, flush_request(0, 0));
  run_to_the_end();
  EXPECT_EQ(blocks<BlockDone>(), first(1));
  EXPECT_TRUE(blocks<BlockFlushed>().empty());
}

TEST_P(SmContract, EachCycleIsBusyOrIdleAndBlocksHoldWhatTheyNeed) {
  set_up(0);
  issue_at(100, 0, 0);
  issue_at(100, 0, 1);
  run_to(clock_, Cycle{200});
  EXPECT_EQ(counter("busy_cycles"), 100u);
  EXPECT_EQ(counter("idle_cycles"), 100u);
  EXPECT_EQ(counter("block_cycles"), 200u);
  EXPECT_EQ(counter("register_cycles"), 100u * 2 * kShape.threads * kShape.registers_per_thread);
  run_to_the_end();
  EXPECT_EQ(counter("busy_cycles") + counter("idle_cycles"), clock_.now().value);
}

TEST_P(SmContract, ASampleHasTheBlocksSinceTheOneBefore) {
  set_up(0);
  issue_at(50, 0, 0);
  send_at(60, sample_request(59));
  run_to(clock_, Cycle{60});
  EXPECT_EQ(engine_.replies.back().due, Cycle{61});
  const auto& first = std::get<SmSampled>(engine_.replies.back().message);
  EXPECT_EQ(first.asked, Cycle{59});
  const SmSample early = *first.sample;
  ASSERT_EQ(early.kernels.size(), 1u);
  EXPECT_EQ(early.until, Cycle{60});
  EXPECT_EQ(early.kernels[0].resident, 1u);
  EXPECT_EQ(early.kernels[0].counts.blocks, 0u);
  run_to_the_end();
  const std::uint64_t end = clock_.now().value + 1;
  send_at(end, sample_request());
  run_to(clock_, Cycle{end});
  const SmSample late = *std::get<SmSampled>(engine_.replies.back().message).sample;
  EXPECT_EQ(late.from, Cycle{60});
  EXPECT_EQ(late.until, Cycle{end});
  ASSERT_EQ(late.kernels.size(), 1u);
  EXPECT_EQ(late.kernels[0].resident, 0u);
  EXPECT_EQ(late.kernels[0].counts.blocks, 1u);
}

TEST_P(SmContract, RefusesABlockWhoseKernelIsNotSetUp) {
  const auto failure_of = [this] {
    try {
      run_to_the_end();
    } catch (const std::exception& exception) {
      return std::string(exception.what());
    }
    return std::string("nothing");
  };
  engine_.send(issue_request(1, 7));
  EXPECT_NE(failure_of().find("block 7 before its set-up"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Models, SmContract, testing::ValuesIn(kModels),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace heddle::test
