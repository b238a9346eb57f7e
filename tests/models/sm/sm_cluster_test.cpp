// Accesses of shared memory of other blocks of the cluster, and signals to and from them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/sm/pipeline/cluster_outbox.h"
#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kRoundTrip = 200;  // from a message to its answer

ScriptedInstruction reaching(Operation operation, const std::vector<RegisterId>& to,
                             const std::vector<RegisterId>& from) {
  ScriptedInstruction scripted = memory(operation, MemorySpace::kShared, to, from, {Address{0}});
  scripted.code.reaches_cluster = scripted.code.takes_turns = true;
  return scripted;
}

ScriptedInstruction awaiting() {
  ScriptedInstruction scripted = alu(Operation::kIntAdd, {30}, {});
  scripted.code.awaits = true;
  return scripted;
}

// A program of one warp. An instruction that reaches the cluster sends `sends`, and one that awaits waits for
// a signal.
class ClusterProgram : public ScriptedProgram {
 public:
  ClusterProgram(std::vector<ScriptedInstruction> warp, std::vector<ClusterMessage> sends)
      : ScriptedProgram({std::move(warp)}), sends_(std::move(sends)) {}
  bool takes_turns() const override { return true; }

  const SmRig* rig = nullptr;
  std::vector<std::uint64_t> issues;  // the cycles in which the warp has issued
  bool has_signal = false;

 private:
  void on_issue(std::uint32_t /*warp*/, IssuedInstruction& issued) override {
    issues.push_back(rig->now().value);
    messages_ = issued.code->reaches_cluster ? sends_ : std::vector<ClusterMessage>{};
  }
  bool waits(std::uint32_t /*warp*/) override { return !has_signal; }
  void receive(const ClusterMessage& /*signal*/) override { has_signal = true; }

  const std::vector<ClusterMessage> sends_;
};

ClusterMessage access(std::uint8_t rank, std::uint32_t sent, std::uint32_t returned) {
  ClusterMessage message;
  message.rank = rank;
  message.sent_bytes = sent;
  message.returned_bytes = returned;
  return message;
}

// Runs the program as the block of rank 0 of a cluster of three. The other SMs answer each access.
struct Execution {
  explicit Execution(ClusterProgram& program) : rig(subcore_sm(), gtx480_limits()) {
    program.rig = &rig;
    rig.shared_bytes = 1024;
    rig.cluster = std::make_shared<ClusterPlaces>(ClusterPlaces{BlockId{0}, {SmId{4}, SmId{7}, SmId{9}}});
    rig.launch(program, 1);
    rig.after_tick = [this] {
      ClusterOutbox& outbox = rig.core().outbox();
      for (; !outbox.empty(); sent.push_back(outbox.take())) due.push_back(rig.now() + kRoundTrip - 1);
      for (; answered < due.size() && due[answered] <= rig.now(); ++answered)
        if (sent[answered].message.kind == ClusterMessage::Kind::kAccess)
          rig.core().answer(sent[answered].number, rig.now() + 1);
      if (signal_at != 0 && rig.now().value == signal_at)
        rig.core().receive(*rig.core().residence().find(*rig.cluster, 0), {});
    };
  }

  SmRig rig;
  std::vector<ClusterTransfer> sent;
  std::vector<Cycle> due;
  std::size_t answered = 0;
  std::uint64_t signal_at = 0;
};

TEST(SmClusters, ALoadIsCompleteWhenEachOtherBlockHasAnswered) {
  ClusterProgram program({reaching(Operation::kLoad, {20}, {}), alu(Operation::kIntAdd, {21}, {20}),
                          alu(Operation::kExit, {}, {})},
                         {access(1, 0, 64), access(2, 0, 64)});
  Execution run(program);
  run.rig.run(false);
  ASSERT_THAT(run.sent, SizeIs(2));
  EXPECT_EQ(run.sent[0].to, SmId{7});
  EXPECT_EQ(run.sent[1].to, SmId{9});
  EXPECT_EQ(run.sent[0].places, run.rig.cluster);
  EXPECT_EQ(program.issues[1] - program.issues[0], kRoundTrip);
  const KernelCounts& counts = run.rig.core().residence().work().counts()[AccountId{0}];
  EXPECT_EQ(counts.cluster_messages, 2U);
  EXPECT_EQ(counts.cluster_bytes, 128U);
}

TEST(SmClusters, AStoreHoldsItsBlockUntilItIsConfirmed) {
  ClusterProgram program({reaching(Operation::kStore, {}, {20}), alu(Operation::kExit, {}, {})},
                         {access(1, 128, 0)});
  Execution run(program);
  const std::uint64_t last = run.rig.run(false);
  EXPECT_LT(program.issues[1] - program.issues[0], 20U);
  EXPECT_EQ(last - program.issues[0], kRoundTrip - 1);  // the answer comes before the tick of its cycle
}

TEST(SmClusters, ASignalEndsAWait) {
  ClusterProgram program({alu(Operation::kIntAdd, {20}, {}), awaiting(), alu(Operation::kExit, {}, {})}, {});
  Execution run(program);
  run.signal_at = 500;
  run.rig.run(false);
  EXPECT_EQ(program.issues[1], 501U);
}

TEST(SmClusters, AnAccessOfAnotherSmIsAnsweredToIt) {
  ClusterProgram program({alu(Operation::kExit, {}, {})}, {});
  Execution run(program);
  ClusterTransfer from_other;
  from_other.places = run.rig.cluster;
  from_other.from = SmId{9};
  from_other.to = SmId{4};
  from_other.message = access(0, 0, 96);
  from_other.number = 77;
  run.rig.core().outbox().answer(from_other);
  const ClusterTransfer answer = run.rig.core().outbox().take();
  EXPECT_TRUE(answer.is_answer);
  EXPECT_EQ(answer.to, SmId{9});
  EXPECT_EQ(answer.number, 77U);
  EXPECT_EQ(answer.packets(), 3U);
  EXPECT_THAT(run.sent, IsEmpty());
}

TEST(SmClusters, ABlockOfAnotherClusterHasNoSignalsOfThisOne) {
  ClusterProgram program({awaiting(), alu(Operation::kExit, {}, {})}, {});
  Execution run(program);
  EXPECT_EQ(run.rig.core().residence().find(*run.rig.cluster, 1), nullptr);
  EXPECT_EQ(run.rig.core().residence().find(ClusterPlaces{BlockId{0}, {}}, 0), nullptr);
  EXPECT_NE(run.rig.core().residence().find(*run.rig.cluster, 0), nullptr);
}

}  // namespace
}  // namespace heddle::test
