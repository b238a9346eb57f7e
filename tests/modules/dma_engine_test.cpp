// A DMA engine behind a PCIe link. Its first burst is requested one cycle after the transfer came, and burst
// n of a busy link is requested at cycle 1 + 256 n, granted one cycle later, and answered 256 + 250 + 1
// cycles after that: 50 more for one that goes to the host, which must be written first.

#include "models/host/dma_engine.h"

#include <gtest/gtest.h>

#include "models/host/pcie_link.h"
#include "models/host/system_memory.h"
#include "tests/support/k20.h"
#include "tests/support/protocol_checker.h"
#include "tests/support/rig.h"
#include "tests/support/scripted_host.h"

namespace heddle::test {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::uint64_t kBurst = 4096;

// When the engine says that a transfer is done whose last burst was the n-th of a busy link.
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
        engine("dma", {1, 8}, kBurst, {clock, *arbiter, device}),
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

  void send(std::uint64_t number, std::uint64_t bytes, std::int32_t priority = 0,
            Direction direction = Direction::kUp, Address system = 0, Address at = 0) {
    Transfer transfer;
    transfer.number = number;
    transfer.context = ContextId{static_cast<std::uint32_t>(number)};
    transfer.stream = StreamId{5};
    transfer.priority = priority;
    transfer.direction = direction;
    transfer.system_address = system;
    transfer.device_address = at;
    transfer.bytes = bytes;
    dispatcher.send(transfer);
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
    device.read(address, data.data(), bytes);
    return data;
  }
  std::uint64_t counter(const std::string& name) {
    const Counter* counter = engine.stats().find("dma." + name);
    return counter == nullptr ? ~std::uint64_t{0} : counter->value();
  }
  // Transfers in order of completion, with the cycle in which the dispatcher hears of it.
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
  SparseMemory device;
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

// The request of burst 3 leaves at cycle 769: what has come by then takes over with it.
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
  rig.store(0x12345, data);
  rig.send(0, data.size(), 0, Direction::kUp, 0x12345, 0x777);
  run_dry();
  EXPECT_EQ(rig.on_device(0x777, data.size()), data);
  EXPECT_EQ(rig.on_device(0x776, 1), Bytes{0});
  EXPECT_EQ(rig.on_device(0x777 + data.size(), 1), Bytes{0});
  rig.send(1, data.size(), 0, Direction::kDown, 0x9876543, 0x777);
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
  rig.send(0, low.size(), 0, Direction::kUp, 0x100000, 0x100000);
  run_to(rig.clock, Cycle{600});
  rig.send(1, high.size(), 1, Direction::kUp, 0x200000, 0x200000);
  run_dry();
  EXPECT_EQ(rig.counter("takeovers"), 1u);
  EXPECT_EQ(rig.on_device(0x100000, low.size()), low);
  EXPECT_EQ(rig.on_device(0x200000, high.size()), high);
}

}  // namespace
}  // namespace heddle::test
