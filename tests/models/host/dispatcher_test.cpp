// The dispatcher between hardware queues and engines. A command that is sent to it at cycle 0 is at the head
// of its queue at 1 and is dispatched then. At most one command is dispatched per cycle, and the engine has
// it one cycle later. For the dispatcher, a kernel or copy of `run` cycles that is dispatched at c is
// complete at c + run.

#include "models/host/dispatcher.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "models/host/pcie_link.h"
#include "tests/support/k20.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/scripted_host.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

// The cycles of a kernel or a copy as the dispatcher sees them.
constexpr std::uint64_t kRun = 1000;

// Hardware queues that always have the next command ready.
class Feeder : public sc_core::sc_module, private MessageIf<CommandTaken> {
 public:
  Feeder(sc_core::sc_module_name name, const ClockDomain& clock) : sc_core::sc_module(name), clock_(clock) {
    socket.bind(*this);
  }
  RequestSocket<Command, CommandTaken> socket{"socket"};

  void put(std::uint32_t queue, Command command) {
    command.queue = QueueId{queue};
    queues_[queue].push_back(command);
    if (queues_[queue].size() == 1) socket->receive(command, 1);
  }
  // The cycle in which each command was taken, by its fence value.
  std::map<std::uint64_t, Cycle> dispatched;

 private:
  void receive(const CommandTaken& taken, std::uint64_t) override {
    std::deque<Command>& queue = queues_[taken.queue.value];
    dispatched[queue.front().fence_value] = clock_.now();
    queue.pop_front();
    if (!queue.empty()) socket->receive(queue.front(), 1);
  }
  const ClockDomain& clock_;
  std::map<std::uint32_t, std::deque<Command>> queues_;
};

struct Rig {
  explicit Rig(const char* policy, std::uint32_t queue_count = 32, std::uint32_t ksrs = 13,
               DmaSpec dma = {2, 4})
      : clock("clock", kK20PcieHz),
        arbiter(PolicyRegistry<CommandArbiter>::make({policy, {}})),
        dispatcher("dispatcher", {queue_count, 16, 8, 8}, dma, {clock, *arbiter, 4, ksrs}),
        link("link", k20_pcie(), 1, clock),
        memory("memory", sc_core::sc_time(100, sc_core::SC_NS)),
        above("above"),
        feeder("feeder", clock),
        engine("engine", clock),
        host("host") {
    feeder.socket.bind(dispatcher.commands);
    dispatcher.launches.bind(engine.socket);
    for (std::uint32_t i = 0; i < dma.engines; ++i) {
      dmas.push_back(
          std::make_unique<Replier<Transfer, TransferDone>>(("dma" + std::to_string(i)).c_str(), clock));
      dispatcher.transfers[i].bind(dmas[i]->socket);
      dmas[i]->on_request = [this, i](const Transfer& transfer) {
        dmas[i]->reply({transfer.number, transfer.context, transfer.stream}, kRun);
      };
    }
    engine.on_request = [this](const KernelLaunch& launch) {
      if (run > 0) engine.reply({launch.kernel, launch.context, launch.stream}, run);
    };
    dispatcher.memory().bind(above.target);
    above.initiator.bind(link.port(0));
    link.system().bind(memory.socket);
    host.memory.bind(memory.socket);
  }

  void launch(std::uint32_t queue, std::uint32_t stream, std::uint64_t number, std::uint32_t context = 0) {
    KernelLaunch launch;
    launch.blocks = 1;
    feeder.put(queue, launch_command(ContextId{context}, StreamId{stream}, launch,
                                     ScriptedHost::fence(stream), number));
  }
  void copy(std::uint32_t queue, std::uint32_t stream, std::uint64_t number, Command::Kind kind) {
    feeder.put(queue, copy_command(ContextId{0}, StreamId{stream}, kind, 0, 0, 64,
                                   ScriptedHost::fence(stream), number));
  }
  void event(std::uint32_t queue, std::uint32_t stream, std::uint64_t number, Command::Kind kind,
             std::uint32_t event, std::uint64_t value) {
    feeder.put(queue, event_command(ContextId{0}, StreamId{stream}, kind, event, value,
                                    ScriptedHost::fence(stream), number));
  }
  Cycle dispatched(std::uint64_t number) {
    EXPECT_EQ(feeder.dispatched.count(number), 1u) << number;
    return feeder.dispatched[number];
  }
  void expect_clean(std::uint64_t fences) {
    EXPECT_TRUE(dispatcher.idle());
    EXPECT_TRUE(above.idle());
    EXPECT_EQ(above.responses(), fences);
    EXPECT_EQ(dispatcher.stats().find("dispatcher.fences")->value(), fences);
  }

  std::uint64_t run = kRun;  // with 0, kernels end when the test ends them
  ClockDomain clock;
  std::unique_ptr<CommandArbiter> arbiter;
  Dispatcher dispatcher;
  PcieLink link;
  SystemMemory memory;
  ProtocolChecker above;
  Feeder feeder;
  Replier<KernelLaunch, KernelDone> engine;
  std::vector<std::unique_ptr<Replier<Transfer, TransferDone>>> dmas;
  ScriptedHost host;
};

constexpr Cycle at(std::uint64_t cycle) {
  return Cycle{cycle};
}

TEST(Dispatcher, AStreamsCommandsGoOneAfterTheOther) {
  Rig rig("hyper-q");
  rig.copy(0, 0, 1, Command::Kind::kCopyUp);
  rig.launch(0, 0, 2);
  rig.copy(0, 0, 3, Command::Kind::kCopyDown);
  run_dry();
  EXPECT_EQ(rig.dispatched(1), at(1));
  EXPECT_EQ(rig.dispatched(2), at(1 + kRun));
  EXPECT_EQ(rig.dispatched(3), at(1 + 2 * kRun));
  ASSERT_EQ(rig.engine.requests.size(), 1u);
  EXPECT_EQ(rig.engine.requests[0].due, at(2 + kRun));
  ASSERT_EQ(rig.dmas[0]->requests.size(), 1u);
  ASSERT_EQ(rig.dmas[1]->requests.size(), 1u) << "each direction has its engine";
  EXPECT_EQ(rig.dmas[1]->requests[0].message.direction, Direction::kDown);
  EXPECT_EQ(rig.host.load(ScriptedHost::fence(0)), 3u);
  rig.expect_clean(3);
}

TEST(Dispatcher, TwoStreamsOverlapCopyAndKernel) {
  Rig rig("hyper-q");
  rig.launch(0, 0, 1);
  rig.copy(1, 1, 2, Command::Kind::kCopyUp);
  rig.copy(2, 2, 3, Command::Kind::kCopyDown);
  run_dry();
  EXPECT_EQ(rig.dispatched(1), at(1));
  EXPECT_EQ(rig.dispatched(2), at(2));
  EXPECT_EQ(rig.dispatched(3), at(3)) << "one command a cycle";
  rig.expect_clean(3);
}

// Stream 0 has kernels 1 and 2, and stream 1 has kernel 3. In a single queue kernel 3 is behind kernel 2,
// which must wait for kernel 1. Kernel 3 therefore runs later than necessary by the time of a kernel.
TEST(Dispatcher, OneQueueSerialisesFalsely) {
  Rig rig("single-queue", 1);
  rig.launch(0, 0, 1);
  rig.launch(0, 0, 2);
  rig.launch(0, 1, 3);
  run_dry();
  EXPECT_EQ(rig.dispatched(1), at(1));
  EXPECT_EQ(rig.dispatched(2), at(1 + kRun));
  EXPECT_EQ(rig.dispatched(3), at(2 + kRun));
  rig.expect_clean(3);
}

TEST(Dispatcher, OneQueueSerialisesFalselyWhateverTheArbiter) {
  Rig rig("hyper-q", 1);
  rig.launch(0, 0, 1);
  rig.launch(0, 0, 2);
  rig.launch(0, 1, 3);
  run_dry();
  EXPECT_EQ(rig.dispatched(3), at(2 + kRun));
}

TEST(Dispatcher, ManyQueuesDoNotSerialise) {
  Rig rig("hyper-q", 32);
  rig.launch(0, 0, 1);
  rig.launch(0, 0, 2);
  rig.launch(1, 1, 3);
  run_dry();
  EXPECT_EQ(rig.dispatched(1), at(1));
  EXPECT_EQ(rig.dispatched(3), at(2));
  EXPECT_EQ(rig.dispatched(2), at(1 + kRun));
}

TEST(Dispatcher, SingleQueueLetsOneContextInAtATime) {
  Rig rig("single-queue", 4);
  rig.launch(0, 0, 1, 0);
  rig.launch(1, 0, 2, 1);
  rig.launch(2, 0, 3, 1);
  run_dry();
  EXPECT_EQ(rig.dispatched(1), at(1));
  EXPECT_EQ(rig.dispatched(2), at(1 + kRun)) << "nothing of context 0 is outstanding any more";
  EXPECT_EQ(rig.dispatched(3), at(1 + 2 * kRun)) << "its stream is busy";
}

TEST(Dispatcher, HyperQLetsContextsInTogether) {
  Rig rig("hyper-q");
  for (std::uint32_t context = 0; context < 4; ++context) rig.launch(context, 0, context + 1, context);
  run_dry();
  for (std::uint32_t context = 0; context < 4; ++context)
    EXPECT_EQ(rig.dispatched(context + 1), at(1 + context));
}

// Stream 0 has kernel 1 and a record. Stream 1 has a wait and kernel 4.
TEST(Dispatcher, AnEventHoldsAnotherStreamUp) {
  Rig rig("hyper-q");
  rig.event(1, 1, 3, Command::Kind::kWait, 5, 1);
  rig.launch(1, 1, 4);
  rig.launch(0, 0, 1);
  rig.event(0, 0, 2, Command::Kind::kRecord, 5, 1);
  run_dry();
  EXPECT_EQ(rig.dispatched(1), at(1));
  EXPECT_EQ(rig.dispatched(2), at(1 + kRun)) << "a record waits for what its stream did before";
  EXPECT_EQ(rig.dispatched(3), at(2 + kRun));
  EXPECT_EQ(rig.dispatched(4), at(3 + kRun));
  EXPECT_EQ(rig.host.load(ScriptedHost::fence(0)), 2u);
  EXPECT_EQ(rig.host.load(ScriptedHost::fence(1)), 4u);
  rig.expect_clean(4);
}

TEST(Dispatcher, AWaitForAnEventOfThePastIsMet) {
  Rig rig("hyper-q");
  rig.event(0, 0, 1, Command::Kind::kRecord, 2, 9);
  rig.event(0, 0, 2, Command::Kind::kWait, 2, 9);
  rig.event(0, 0, 3, Command::Kind::kWait, 2, 10);
  run_to(rig.clock, at(2000));
  EXPECT_EQ(rig.dispatched(2), at(2));
  EXPECT_EQ(rig.feeder.dispatched.count(3), 0u) << "that one is of the future";
}

TEST(Dispatcher, SendsNoMoreLaunchesThanTheEngineHolds) {
  Rig rig("hyper-q", 32, 2);
  for (std::uint32_t i = 0; i < 4; ++i) rig.launch(i, i, i + 1);
  run_dry();
  EXPECT_EQ(rig.dispatched(2), at(2));
  EXPECT_EQ(rig.dispatched(3), at(1 + kRun));
  EXPECT_EQ(rig.dispatched(4), at(2 + kRun));
  std::vector<std::uint64_t> numbers;
  for (const auto& launch : rig.engine.requests) numbers.push_back(launch.message.kernel.value);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{0, 1, 2, 3})) << "counted in launch order";
}

TEST(Dispatcher, SendsNoMoreCopiesThanAnEngineHolds) {
  Rig rig("hyper-q", 32, 13, {1, 2});
  for (std::uint32_t i = 0; i < 3; ++i)
    rig.copy(i, i, i + 1, i == 1 ? Command::Kind::kCopyDown : Command::Kind::kCopyUp);
  run_dry();
  EXPECT_EQ(rig.dispatched(2), at(2));
  EXPECT_EQ(rig.dispatched(3), at(1 + kRun)) << "both directions share the one engine";
}

// A record needs no engine, so that fences come as fast as heads do, which is faster than they can be
// written. No fence is lost or doubled, and there is room for the fences of kernels that end at the same
// time.
TEST(Dispatcher, AFloodOfFencesIsWrittenInOrder) {
  Rig rig("hyper-q", 8);
  std::uint64_t number = 0;
  for (std::uint32_t queue = 4; queue < 8; ++queue) rig.launch(queue, queue, ++number);
  for (int round = 0; round < 400; ++round)
    for (std::uint32_t queue = 0; queue < 4; ++queue) {
      ++number;
      rig.event(queue, queue, number, Command::Kind::kRecord, queue, number);
    }
  run_dry();
  for (std::uint32_t stream = 0; stream < 4; ++stream)
    EXPECT_EQ(rig.host.load(ScriptedHost::fence(stream)), number - 3 + stream);
  for (std::uint32_t stream = 4; stream < 8; ++stream)
    EXPECT_EQ(rig.host.load(ScriptedHost::fence(stream)), stream - 3u);
  rig.expect_clean(number);
}

}  // namespace
}  // namespace heddle::test
