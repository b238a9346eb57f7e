// A DMA engine behind a PCIe link. Its first burst is requested one cycle after the transfer came. On a busy
// link burst n is requested at cycle 1 + 256 n, granted one cycle later, and answered 256 + 250 + 1 cycles
// after that. A burst to the host takes 50 more cycles, because it must be written first.

#include "models/host/dma_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/host/pcie_link.h"
#include "models/host/system_memory.h"
#include "tests/support/k20.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/scripted_host.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::uint64_t kBurst = 4096;
// 64 bytes per cycle: a copied burst takes 64 cycles and a filled burst 32.
constexpr double kDeviceRate = 64 * kK20PcieHz;

// Returns the cycle in which the engine reports a transfer whose last burst is the n-th of a busy link.
constexpr Cycle done_after(std::uint64_t n) {
  return Cycle{2 + 256 * (n + 1) + 250 + 1 + 1};
}

class Watcher : public TransferObserver {
 public:
  struct Seen {
    Cycle begin, end;
    std::uint64_t number;
  };
  std::vector<Seen> seen;
  void transferred(Cycle begin, Cycle end, const Transfer& transfer) override {
    seen.push_back({begin, end, transfer.number});
  }
};

struct Rig {
  explicit Rig(const char* policy)
      : clock("clock", kK20PcieHz),
        arbiter(PolicyRegistry<DmaArbiter>::make({policy, {}})),
        engine("dma", {1, 8, kDeviceRate}, kBurst, {clock, *arbiter, device}),
        link("link", k20_pcie(), 1, clock),
        memory("memory", sc_core::sc_time(100, sc_core::SC_NS)),
        above("above"),
        below("below"),
        dispatcher("dispatcher", clock),
        host("host") {
    dispatcher.socket.bind(engine.transfers);
    engine.memory().bind(above.target);
    above.initiator.bind(link.port(0));
    link.system().bind(below.target);
    below.initiator.bind(memory.socket);
    host.memory.bind(memory.socket);
    engine.observe(watcher);
  }

  // Sends a copy to the device, with memory and a context of its own.
  void send(std::uint64_t number, std::uint64_t bytes, std::int32_t priority = 0) {
    Transfer transfer = copy(number, Direction::kUp, 0, 0, bytes);
    transfer.context = ContextId{static_cast<std::uint32_t>(number)};
    transfer.device_address = device[number].allocate(bytes, "data");
    transfer.priority = priority;
    dispatcher.send(transfer);
  }
  // Returns a copy in context 0.
  static Transfer copy(std::uint64_t number, Direction direction, Address system, Address at,
                       std::uint64_t bytes) {
    Transfer transfer;
    transfer.number = number;
    transfer.context = ContextId{0};
    transfer.stream = StreamId{5};
    transfer.direction = direction;
    transfer.system_address = system;
    transfer.device_address = at;
    transfer.bytes = bytes;
    return transfer;
  }
  static Transfer across(std::uint64_t number, Address from, Address to, std::uint64_t bytes) {
    Transfer transfer = copy(number, Direction::kAcross, 0, to, bytes);
    transfer.source_address = from;
    return transfer;
  }
  static Transfer fill(std::uint64_t number, Address at, std::uint8_t value, std::uint64_t bytes) {
    Transfer transfer = copy(number, Direction::kFill, 0, at, bytes);
    transfer.value = value;
    return transfer;
  }
  void store(Address address, const Bytes& data) {
    host.store(address, data.data(), static_cast<unsigned>(data.size()));
  }
  Bytes load(Address address, std::size_t bytes) {
    Bytes data(bytes);
    host.load(address, data.data(), static_cast<unsigned>(bytes));
    return data;
  }
  Bytes on_device(Address address, std::size_t bytes) const {
    Bytes data(bytes);
    device[0].read(address, data.data(), bytes);
    return data;
  }
  std::uint64_t counter(const std::string& name) {
    const Counter* counter = engine.stats().find("dma." + name);
    return counter == nullptr ? ~std::uint64_t{0} : counter->value();
  }
  // Returns the transfers in order of completion, with the cycle in which the dispatcher is notified.
  std::vector<std::pair<std::uint64_t, Cycle>> done() const {
    std::vector<std::pair<std::uint64_t, Cycle>> all;
    for (const auto& reply : dispatcher.replies) all.emplace_back(reply.message.number, reply.due);
    return all;
  }
  void expect_clean() const {
    EXPECT_TRUE(engine.idle());
    EXPECT_TRUE(above.idle() && below.idle());
    EXPECT_EQ(above.requests(), above.responses());
  }

  ClockDomain clock;
  std::vector<DeviceMemory> device{3};
  std::unique_ptr<DmaArbiter> arbiter;
  DmaEngine engine;
  PcieLink link;
  SystemMemory memory;
  ProtocolChecker above, below;
  Requester<Transfer, TransferDone> dispatcher;
  ScriptedHost host;
  Watcher watcher;
};

using Done = std::vector<std::pair<std::uint64_t, Cycle>>;

TEST(DmaEngine, FcfsRunsEachTransferToItsEnd) {
  Rig rig("fcfs");
  rig.send(0, 10 * kBurst);
  rig.send(1, kBurst, 7);
  rig.send(2, 2 * kBurst, 9);
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{0, done_after(9)}, {1, done_after(10)}, {2, done_after(12)}}));
  EXPECT_EQ(rig.dispatcher.replies[1].message.context, ContextId{1});
  EXPECT_EQ(rig.dispatcher.replies[1].message.stream, StreamId{5});
  EXPECT_EQ(rig.counter("takeovers"), 0u);
  EXPECT_EQ(rig.counter("bursts"), 13u);
  EXPECT_EQ(rig.counter("transfers"), 3u);
  rig.expect_clean();
  ASSERT_EQ(rig.watcher.seen.size(), 3u);
  EXPECT_EQ(rig.watcher.seen[1].begin, Cycle{1 + 256 * 10});
  EXPECT_EQ(rig.watcher.seen[1].end, done_after(10) - 1);
  EXPECT_EQ(rig.watcher.seen[1].number, 1u);
}

// Burst 3 is requested in cycle 769. A transfer of higher priority that has come by then takes this turn.
TEST(DmaEngine, PriorityTakesOverAtTheBurstBoundary) {
  Rig rig("priority");
  rig.send(0, 10 * kBurst, 1);
  run_to(rig.clock, Cycle{768});
  rig.send(1, 2 * kBurst, 2);  // there at 769
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{1, done_after(4)}, {0, done_after(11)}}));
  EXPECT_EQ(rig.counter("takeovers"), 1u);
  rig.expect_clean();
}

TEST(DmaEngine, PriorityACycleLateWaitsForTheNextBoundary) {
  Rig rig("priority");
  rig.send(0, 10 * kBurst, 1);
  run_to(rig.clock, Cycle{769});
  rig.send(1, 2 * kBurst, 2);  // there at 770
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{1, done_after(5)}, {0, done_after(11)}}));
}

TEST(DmaEngine, EqualPriorityDoesNotTakeOver) {
  Rig rig("priority");
  rig.send(0, 4 * kBurst, 2);
  rig.send(1, kBurst, 2);
  rig.send(2, kBurst, 1);
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{0, done_after(3)}, {1, done_after(4)}, {2, done_after(5)}}));
  EXPECT_EQ(rig.counter("takeovers"), 0u);
}

TEST(DmaEngine, DataArrivesByteForByteBothWays) {
  Rig rig("fcfs");
  Bytes data(3 * kBurst + 1234);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 31 + i / 251 + 1);
  const Address at = rig.device[0].allocate(4 * kBurst, "data") + 0x77;
  rig.store(0x12345, data);
  rig.dispatcher.send(Rig::copy(0, Direction::kUp, 0x12345, at, data.size()));
  run_dry();
  EXPECT_EQ(rig.on_device(at, data.size()), data);
  EXPECT_EQ(rig.on_device(at - 1, 1), Bytes{0});
  EXPECT_EQ(rig.on_device(at + data.size(), 1), Bytes{0});
  rig.dispatcher.send(Rig::copy(1, Direction::kDown, 0x9876543, at, data.size()));
  run_dry();
  EXPECT_EQ(rig.load(0x9876543, data.size()), data);
  EXPECT_EQ(rig.load(0x9876543 + data.size(), 1), Bytes{0});
  EXPECT_EQ(rig.counter("bytes_up"), data.size());
  EXPECT_EQ(rig.counter("bytes_down"), data.size());
  rig.expect_clean();
}

TEST(DmaEngine, TwoTransfersInterleavedKeepTheirData) {
  Rig rig("priority");
  const Bytes low(6 * kBurst, 0x11), high(2 * kBurst, 0x22);
  rig.store(0x100000, low);
  rig.store(0x200000, high);
  const Address to_low = rig.device[0].allocate(low.size(), "low");
  const Address to_high = rig.device[0].allocate(high.size(), "high");
  rig.dispatcher.send(Rig::copy(0, Direction::kUp, 0x100000, to_low, low.size()));
  run_to(rig.clock, Cycle{600});
  Transfer urgent = Rig::copy(1, Direction::kUp, 0x200000, to_high, high.size());
  urgent.priority = 1;
  rig.dispatcher.send(urgent);
  run_dry();
  EXPECT_EQ(rig.counter("takeovers"), 1u);
  EXPECT_EQ(rig.on_device(to_low, low.size()), low);
  EXPECT_EQ(rig.on_device(to_high, high.size()), high);
}

// The engine has the transfer at cycle 1, starts it at once, and notifies one cycle after its last burst.
TEST(DmaEngine, WithinDeviceMemoryATransferTakesTheTimeOfItsBytes) {
  Rig rig("fcfs");
  const Address a = rig.device[0].allocate(4 * kBurst, "a");
  const Address b = rig.device[0].allocate(4 * kBurst, "b");
  rig.dispatcher.send(Rig::fill(0, a + 5, 0xa5, 2 * kBurst));
  rig.dispatcher.send(Rig::across(1, a, b + 3, 2 * kBurst + 65));
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{0, Cycle{1 + 2 * 32 + 1}}, {1, Cycle{1 + 2 * 32 + 2 * 64 + 2 + 1}}}));
  Bytes filled(2 * kBurst, 0xa5);
  EXPECT_EQ(rig.on_device(a + 5, filled.size()), filled);
  EXPECT_EQ(rig.on_device(a + 4, 1), Bytes{0});
  EXPECT_EQ(rig.on_device(a + 5 + filled.size(), 1), Bytes{0});
  EXPECT_EQ(rig.on_device(b, 8), (Bytes{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(rig.on_device(b + 8, filled.size()), filled);
  EXPECT_EQ(rig.on_device(b + 8 + filled.size(), 1), Bytes{0});
  EXPECT_EQ(rig.above.requests(), 0u) << "nothing crosses the link";
  EXPECT_EQ(rig.counter("bytes_up") + rig.counter("bytes_down"), 0u);
  EXPECT_EQ(rig.counter("transfers"), 2u);
  EXPECT_EQ(rig.counter("bursts"), 5u);
  rig.expect_clean();
}

// The copied burst that starts at 1 keeps the engine until 65, and the burst over the link keeps it until
// another burst could follow.
TEST(DmaEngine, PriorityTakesOverFromATransferWithinDeviceMemory) {
  Rig rig("priority");
  const Address a = rig.device[0].allocate(4 * kBurst, "a");
  const Address b = rig.device[0].allocate(4 * kBurst, "b");
  rig.dispatcher.send(Rig::across(0, a, b, 3 * kBurst));
  run_to(rig.clock, Cycle{10});
  rig.send(1, kBurst, 1);
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{0, Cycle{65 + 256 + 2 * 64 + 1}}, {1, done_after(0) + 64}}));
  EXPECT_EQ(rig.watcher.seen[1].begin, Cycle{65});
  EXPECT_EQ(rig.counter("takeovers"), 1u);
  rig.expect_clean();
}

std::string failure_of(const Transfer& transfer) {
  Rig rig("fcfs");
  rig.device[0].allocate(100, "levels");
  rig.dispatcher.send(transfer);
  try {
    run_dry();
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  }
  return "";
}

constexpr Address kLevels = DeviceMemory::kFirst;

TEST(DmaEngine, ACopyPastTheEndOfAnAllocationStopsTheRun) {
  EXPECT_THAT(
      failure_of(Rig::copy(0, Direction::kUp, 0, kLevels, 101)),
      testing::HasSubstr("dma, cycle 1: context 0 moves 101 bytes at 0x10000000000 of device memory, and "
                         "0x10000000064 lies 0 bytes behind the end of 'levels' (100 bytes from "
                         "0x10000000000)"));
}

TEST(DmaEngine, ACopyFromUnallocatedMemoryStopsTheRun) {
  EXPECT_THAT(failure_of(Rig::across(0, kLevels - 4, kLevels, 8)),
              testing::HasSubstr("0xfffffffffc lies 4 bytes before 'levels'"));
}

TEST(DmaEngine, AFillOfAnotherContextsMemoryStopsTheRun) {
  Transfer transfer = Rig::fill(0, kLevels, 1, 8);
  transfer.context = ContextId{1};
  EXPECT_THAT(failure_of(transfer),
              testing::HasSubstr("context 1 moves 8 bytes at 0x10000000000 of device "
                                 "memory, and 0x10000000000, and nothing is allocated"));
}

}  // namespace
}  // namespace heddle::test
