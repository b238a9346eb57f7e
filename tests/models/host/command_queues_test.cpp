// Hardware queues between a host and a dispatcher. A doorbell at cycle 0 is seen at 1. The read of the
// descriptor is granted at 2, and its 64 bytes take 4 cycles and 250 cycles of latency. The command is there
// one cycle after the response, at 258. A launch reads a second descriptor, and is there at 514.

#include "models/host/command_queues.h"

#include <gtest/gtest.h>

#include "models/host/pcie_link.h"
#include "tests/support/k20.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/scripted_host.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

using namespace registers;

// Answers with an address error from a limit on, and forwards every access below it.
class Fence : public sc_core::sc_module,
              private tlm::tlm_fw_transport_if<>,
              private tlm::tlm_bw_transport_if<> {
 public:
  explicit Fence(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    target.bind(*this);
    initiator.bind(*this);
  }
  tlm::tlm_target_socket<> target{"target"};
  tlm::tlm_initiator_socket<> initiator{"initiator"};
  Address from = ~Address{0};  // the first bad address

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (payload.get_address() < from) return initiator->nb_transport_fw(payload, phase, delay);
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return target->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    initiator->b_transport(payload, delay);
  }
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override {
    return initiator->transport_dbg(payload);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

constexpr std::uint32_t kQueueCount = 3;
constexpr std::uint32_t kContextCount = 4;
constexpr std::uint32_t kEntries = 8;

struct Rig {
  Rig()
      : clock("clock", kK20PcieHz),
        queues("queues", {kQueueCount, kEntries, 8, 5},
               {clock, kContextCount, 13, k20_limits(), true, sc_core::SC_ZERO_TIME, [this] { ++updates; }}),
        link("link", k20_pcie(), 1, clock),
        memory("memory", sc_core::sc_time(100, sc_core::SC_NS)),
        fence("fence"),
        above("above"),
        dispatcher("dispatcher", clock),
        engine("engine", clock),
        host("host") {
    queues.memory().bind(above.target);
    above.initiator.bind(link.port(0));
    link.system().bind(fence.target);
    fence.initiator.bind(memory.socket);
    queues.commands.bind(dispatcher.socket);
    queues.contexts.bind(engine.socket);
    host.mmio.bind(queues.mmio);
    host.memory.bind(memory.socket);
  }

  // Takes every command when it comes.
  void take_at_once() {
    dispatcher.on_request = [this](const Command& command) { dispatcher.reply({command.queue}, 2); };
  }
  std::vector<std::uint64_t> commands() const {  // by fence value
    std::vector<std::uint64_t> values;
    for (const auto& command : dispatcher.requests) values.push_back(command.message.fence_value);
    return values;
  }
  void expect_halted(std::uint32_t queue, QueueError error) {
    EXPECT_EQ(host.register_value(kError), static_cast<std::uint64_t>(error));
    EXPECT_EQ(host.register_value(kErrorQueue), queue);
    EXPECT_EQ(host.load(ScriptedHost::head_word(queue)), kHalted);
    EXPECT_TRUE(queues.idle());
    EXPECT_TRUE(above.idle());
  }

  std::uint64_t updates = 0;
  ClockDomain clock;
  CommandQueues queues;
  PcieLink link;
  SystemMemory memory;
  Fence fence;
  ProtocolChecker above;
  Replier<Command, CommandTaken> dispatcher;
  Replier<ContextUpdate, NoReply> engine;
  ScriptedHost host;
};

Command numbered(std::uint64_t value, std::uint32_t stream = 0) {
  return event_command(ContextId{1}, StreamId{stream}, Command::Kind::kRecord, 0, value, 0x100000, value);
}

KernelLaunch kernel() {
  KernelLaunch launch;
  launch.blocks = 10;
  launch.shape = {256, 32, 0};
  launch.block_cycles = 100;
  launch.tag = 77;
  return launch;
}

TEST(CommandQueues, WhatTheGpuIs) {
  Rig rig;
  EXPECT_EQ(rig.host.register_value(kId), kIdValue);
  EXPECT_EQ(rig.host.inspect(kId, 8), "HEDDLE01");
  EXPECT_EQ(rig.host.register_value(kQueues), kQueueCount);
  EXPECT_EQ(rig.host.register_value(kContexts), kContextCount);
  EXPECT_EQ(rig.host.register_value(kSms), 13u);
  EXPECT_EQ(rig.host.register_value(kError), 0u);
}

TEST(CommandQueues, RegistersReadBackWhatWasWritten) {
  Rig rig;
  std::uint64_t value = 1000;
  for (std::uint32_t q = 0; q < kQueueCount; ++q)
    for (const QueueRegister which : {registers::kBase, registers::kEntries, registers::kWriteback}) {
      EXPECT_EQ(rig.host.write_register(queue(q, which), ++value), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(rig.host.register_value(queue(q, which)), value);
    }
  for (std::uint32_t c = 0; c < kContextCount; ++c)
    for (const ContextRegister which : {kPriority, kTokens, kPageTable, kTextureTable}) {
      EXPECT_EQ(rig.host.write_register(context(c, which), ++value), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(rig.host.register_value(context(c, which)), value);
    }
  EXPECT_EQ(rig.host.register_value(queue(1, registers::kBase)), 1004u) << "each has its own";
}

TEST(CommandQueues, WhatIsNoRegisterAnswersAnAddressError) {
  Rig rig;
  std::uint64_t value = 0;
  for (const Address address : {Address{0x38}, Address{0xff8}, queue(0, registers::kWriteback) + 8,
                                queue(kQueueCount, registers::kBase), context(0, kTextureTable) + 8,
                                context(kContextCount, kPriority), Address{0xffff8}, kEnd, ~Address{7}}) {
    EXPECT_EQ(rig.host.read_register(address, value), tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
    EXPECT_EQ(rig.host.write_register(address, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
  }
  for (const Address address : {kId, kQueues, kContexts, kSms, kCounters, kErrorQueue, queue(0, kHead),
                                kCounterValues, kCounterNames})
    EXPECT_EQ(rig.host.write_register(address, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE)
        << "read only " << std::hex << address;
  std::array<unsigned char, 16> data{};
  for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
    EXPECT_EQ(rig.host.access(command, queue(0, registers::kBase), data.data(), 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.host.access(command, queue(0, registers::kBase), data.data(), 16),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.host.access(command, queue(0, registers::kBase) + 4, data.data(), 8),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  EXPECT_EQ(rig.host.register_value(queue(0, registers::kBase)), 0u);
}

TEST(CommandQueues, InspectionReadsAnyRange) {
  Rig rig;
  EXPECT_EQ(rig.host.inspect(kId + 2, 3), "DDL");
  EXPECT_EQ(rig.host.inspect(kId + 6, 4), std::string("01") + static_cast<char>(kQueueCount) + '\0');
  EXPECT_EQ(rig.host.inspect(kErrorQueue + 4, 8).size(), 4u) << "up to the last register";
  EXPECT_EQ(rig.host.inspect(kEnd, 8).size(), 0u);
}

TEST(CommandQueues, TheCounterWindowShowsValuesAndNames) {
  Rig rig;
  Group root("gpu");
  root.attach(rig.queues.stats());
  rig.queues.show_counters(root);
  ASSERT_EQ(rig.host.register_value(kCounters), root.counters().size());
  rig.take_at_once();
  rig.host.open(0, kEntries);
  rig.host.push(0, numbered(1));
  rig.host.push(0, numbered(2));
  run_dry();
  std::map<std::string, std::uint64_t> window;
  for (std::uint64_t i = 0; i < rig.host.register_value(kCounters); ++i) {
    const std::string name = rig.host.inspect(kCounterNames + i * kNameBytes, kNameBytes);
    const std::string value = rig.host.inspect(kCounterValues + i * 8, 8);
    window[name.c_str()] = load_u64(reinterpret_cast<const unsigned char*>(value.data()));
  }
  EXPECT_EQ(window.at("gpu.queues.doorbells"), 2u);
  EXPECT_EQ(window.at("gpu.queues.fetched"), 2u);
  EXPECT_EQ(window.at("gpu.queues.halts"), 0u);
  EXPECT_GT(rig.updates, 0u);
}

TEST(CommandQueues, ADoorbellBringsTheCommand) {
  Rig rig;
  rig.host.open(1, kEntries);
  rig.host.push(1, numbered(9, 3));
  run_dry();
  ASSERT_EQ(rig.dispatcher.requests.size(), 1u);
  EXPECT_EQ(rig.dispatcher.requests[0].due, Cycle{258});
  const Command& command = rig.dispatcher.requests[0].message;
  EXPECT_EQ(command.queue, QueueId{1});
  EXPECT_EQ(command.context, ContextId{1});
  EXPECT_EQ(command.stream, StreamId{3});
  EXPECT_EQ(command.fence_value, 9u);
  EXPECT_FALSE(rig.queues.idle()) << "it has not been taken";
  EXPECT_EQ(rig.host.register_value(queue(1, kHead)), 0u);
}

TEST(CommandQueues, ALaunchReadsItsKernelToo) {
  Rig rig;
  rig.host.write_register(context(2, kPriority), static_cast<std::uint64_t>(-5));
  rig.host.open(0, kEntries);
  rig.host.push(0, launch_command(ContextId{2}, StreamId{1}, kernel()));
  run_dry();
  ASSERT_EQ(rig.dispatcher.requests.size(), 1u);
  EXPECT_EQ(rig.dispatcher.requests[0].due, Cycle{514});
  const Command& command = rig.dispatcher.requests[0].message;
  EXPECT_EQ(command.priority, -5);
  EXPECT_EQ(command.launch.blocks, 10u);
  EXPECT_EQ(command.launch.tag, 77u);
  EXPECT_EQ(command.launch.context, ContextId{2});
  EXPECT_EQ(command.launch.stream, StreamId{1});
}

// The next descriptor is read and the head is written back when the previous command is taken.
TEST(CommandQueues, TheHeadIsWrittenBackAsCommandsAreTaken) {
  Rig rig;
  rig.host.open(0, kEntries);
  rig.host.push(0, numbered(1));
  rig.host.push(0, numbered(2));
  run_dry();
  EXPECT_EQ(rig.commands(), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(rig.host.load(ScriptedHost::head_word(0)), 0u);
  const Cycle taken = rig.clock.now() + 1;
  rig.dispatcher.reply({QueueId{0}});
  run_dry();
  EXPECT_EQ(rig.host.load(ScriptedHost::head_word(0)), 1u);
  ASSERT_EQ(rig.dispatcher.requests.size(), 2u);
  EXPECT_EQ(rig.dispatcher.requests[1].due, taken + 257);
  rig.dispatcher.reply({QueueId{0}});
  run_dry();
  EXPECT_EQ(rig.host.load(ScriptedHost::head_word(0)), 2u);
  EXPECT_EQ(rig.host.register_value(queue(0, kHead)), 2u);
  EXPECT_TRUE(rig.queues.idle());
}

TEST(CommandQueues, ARingWraps) {
  Rig rig;
  rig.take_at_once();
  rig.host.open(2, 3);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    rig.host.push(
        2, i % 4 == 0 ? launch_command(ContextId{0}, StreamId{0}, kernel(), 0x100000, i) : numbered(i));
    if (i % 3 == 0) run_dry();
    expected.push_back(i);
  }
  run_dry();
  EXPECT_EQ(rig.commands(), expected);
  EXPECT_EQ(rig.host.load(ScriptedHost::head_word(2)), 20u);
}

TEST(CommandQueues, AFullRingIsNotOverrun) {
  Rig rig;
  rig.host.open(0, 4);
  for (std::uint64_t i = 1; i <= 4; ++i) rig.host.push(0, numbered(i));
  run_dry();
  EXPECT_EQ(rig.commands(), (std::vector<std::uint64_t>{1})) << "the dispatcher takes nothing";
  EXPECT_EQ(rig.host.load(ScriptedHost::head_word(0)), 0u) << "the ring is full: the driver waits";
  for (std::uint64_t i = 5; i <= 9; ++i) {
    rig.dispatcher.reply({QueueId{0}});
    run_dry();
    ASSERT_EQ(rig.host.load(ScriptedHost::head_word(0)), i - 4);
    rig.host.push(0, numbered(i));
  }
  rig.take_at_once();
  rig.dispatcher.reply({QueueId{0}});
  run_dry();
  EXPECT_EQ(rig.commands(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(CommandQueues, ATailTooFarAheadHalts) {
  Rig rig;
  rig.take_at_once();
  rig.host.open(0, 4);
  EXPECT_EQ(rig.host.write_register(queue(0, kTail), 5), tlm::TLM_OK_RESPONSE);
  run_dry();
  rig.expect_halted(0, QueueError::kRing);
}

TEST(CommandQueues, ABadRingHalts) {
  Rig rig;
  rig.host.open(0, 0);
  rig.host.write_register(queue(0, kTail), 1);
  run_dry();
  rig.expect_halted(0, QueueError::kRing);
  rig.host.open(1, kEntries + 1);
  rig.host.write_register(queue(1, kTail), 1);
  run_dry();
  rig.expect_halted(1, QueueError::kRing);
  EXPECT_TRUE(rig.dispatcher.requests.empty());
}

struct Bad {
  const char* name;
  QueueError error;
  void (*change)(Command&);
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class CommandQueuesHalt : public testing::TestWithParam<Bad> {};

// A command that cannot be accepted halts its queue, after the good command before it. Another queue goes on.
TEST_P(CommandQueuesHalt, OnABadDescriptor) {
  Rig rig;
  rig.take_at_once();
  rig.host.open(0, kEntries);
  rig.host.open(2, kEntries);
  Command bad = launch_command(ContextId{1}, StreamId{0}, kernel(), 0x100000, 2);
  GetParam().change(bad);
  rig.host.write(2, numbered(1));
  rig.host.write(2, bad);
  rig.host.write(2, numbered(3));
  rig.host.ring_doorbell(2);
  run_dry();
  rig.expect_halted(2, GetParam().error);
  EXPECT_EQ(rig.commands(), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(rig.host.register_value(queue(2, kHead)), 1u);
  rig.host.push(0, numbered(4));
  rig.host.push(2, numbered(5));
  run_dry();
  EXPECT_EQ(rig.commands(), (std::vector<std::uint64_t>{1, 4}));
  EXPECT_EQ(rig.host.write_register(kError, 0), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(rig.host.register_value(kError), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, CommandQueuesHalt,
    testing::Values(
        Bad{"opcode", QueueError::kOpcode, [](Command& c) { c.kind = static_cast<Command::Kind>(9); }},
        Bad{"context", QueueError::kContext, [](Command& c) { c.context = ContextId{kContextCount}; }},
        Bad{"stream", QueueError::kStream, [](Command& c) { c.stream = StreamId{8}; }},
        Bad{"event", QueueError::kEvent, [](Command& c) { c.kind = Command::Kind::kWait, c.event = 5; }},
        Bad{"kernel", QueueError::kKernel, [](Command& c) { c.launch.blocks = 0; }},
        Bad{"copy", QueueError::kCopy, [](Command& c) { c.kind = Command::Kind::kCopyUp; }}),
    [](const testing::TestParamInfo<Bad>& bad) { return bad.param.name; });

TEST(CommandQueues, ADescriptorThatCannotBeReadHalts) {
  Rig rig;
  rig.fence.from = ScriptedHost::ring(1);
  rig.host.open(1, kEntries);
  rig.host.push(1, numbered(1));
  run_dry();
  rig.expect_halted(1, QueueError::kBus);
}

// The head of the halted queue cannot be written either. The queue does not retry for ever, and a command
// that was on its way when the queue halted does not restart it.
TEST(CommandQueues, AHeadThatCannotBeWrittenHaltsForGood) {
  Rig rig;
  rig.host.open(0, kEntries);
  rig.host.write_register(queue(0, registers::kWriteback), ~Address{0} - 15);
  rig.fence.from = ~Address{0} - 15;
  for (std::uint64_t i = 1; i <= 3; ++i) rig.host.write(0, numbered(i));
  rig.host.ring_doorbell(0);
  rig.take_at_once();
  run_dry();
  EXPECT_EQ(rig.host.register_value(kError), static_cast<std::uint64_t>(QueueError::kBus));
  const std::size_t taken = rig.commands().size();
  EXPECT_LE(taken, 3u);
  rig.host.push(0, numbered(4));
  run_dry();
  EXPECT_EQ(rig.commands().size(), taken);
  EXPECT_EQ(rig.queues.stats().find("queues.halts")->value(), 1u);
  EXPECT_TRUE(rig.above.idle());
}

TEST(CommandQueues, WithoutWritebackNothingIsWritten) {
  Rig rig;
  rig.take_at_once();
  rig.host.open(0, kEntries);
  rig.host.write_register(queue(0, registers::kWriteback), 0);
  rig.host.push(0, numbered(1));
  run_dry();
  EXPECT_EQ(rig.above.requests(), 1u);
  EXPECT_EQ(rig.host.register_value(queue(0, kHead)), 1u);
}

TEST(CommandQueues, AContextsShareReachesTheEngine) {
  Rig rig;
  rig.host.write_register(context(3, kPriority), static_cast<std::uint64_t>(-2));
  rig.host.write_register(context(3, kTokens), 6);
  rig.host.write_register(context(3, kPageTable), 0xabc000);
  run_dry();
  ASSERT_EQ(rig.engine.requests.size(), 1u) << "three registers written in one cycle are one update";
  EXPECT_EQ(rig.engine.requests[0].due, Cycle{2});
  EXPECT_EQ(rig.engine.requests[0].message.context, ContextId{3});
  EXPECT_EQ(rig.engine.requests[0].message.share.priority, -2);
  EXPECT_EQ(rig.engine.requests[0].message.share.tokens, 6);
  EXPECT_EQ(rig.engine.requests[0].message.page_table, 0xabc000u);
  rig.host.write_register(context(3, kTokens), 6);
  run_dry();
  EXPECT_EQ(rig.engine.requests.size(), 1u) << "nothing has changed";
  rig.host.write_register(context(3, kTokens), 7);
  run_dry();
  EXPECT_EQ(rig.engine.requests.size(), 2u);
}

}  // namespace
}  // namespace heddle::test
