// The network between the SMs of a GPC: each transfer takes the latency and waits for the port of its
// receiver.

#include "models/noc/cluster_network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kLatency = 20;
constexpr std::uint32_t kInterval = 2;

// An SM that sends transfers in stated cycles, and notes those that come.
class Peer : public sc_core::sc_module, public Clocked {
 public:
  struct Sent {
    std::uint64_t at;
    std::uint32_t to;
    std::uint32_t bytes;
  };
  Peer(sc_core::sc_module_name name, SmId sm, ClockDomain& clock, std::vector<Sent> sends,
       std::vector<std::string>& log)
      : sc_core::sc_module(name),
        sm_(sm),
        clock_(clock),
        sends_(std::move(sends)),
        log_(log),
        sleeper_(clock.add(*this)),
        inbox_("peer", clock, sleeper_, kLatency + 2) {
    socket.bind(inbox_);
  }

  RequestSocket<ClusterTransfer, ClusterDelivery> socket{"socket"};

  // Called when all peers have been made.
  void start() {
    for (const Sent& sent : sends_) clock_.wake_at(sleeper_, Cycle{sent.at});
  }
  void tick(Cycle now) override {
    for (; inbox_.has(now); inbox_.pop())
      log_.push_back(fmt::format("{}: {} to {}", now.value, inbox_.front().transfer.from.value, sm_.value));
    Cycle next = inbox_.due(now);
    for (const Sent& sent : sends_) {
      if (sent.at == now.value) {
        ClusterTransfer transfer;
        transfer.from = sm_;
        transfer.to = SmId{sent.to};
        transfer.message.sent_bytes = sent.bytes;
        socket->receive(transfer, 1);
      }
      if (sent.at > now.value) next = std::min(next, Cycle{sent.at});
    }
    if (next != Cycle::never()) clock_.wake_at(sleeper_, next);
  }

 private:
  const SmId sm_;
  ClockDomain& clock_;
  const std::vector<Sent> sends_;
  std::vector<std::string>& log_;
  const ClockDomain::Sleeper sleeper_;
  Inbox<ClusterDelivery> inbox_;
};

using Sent = Peer::Sent;

struct Gpc {
  // `sends` are those of the SMs 0, 1, 16 and 17.
  explicit Gpc(std::vector<std::vector<Peer::Sent>> sends)
      : clock("clock", 1e9), network("network", numbers, kLatency, kInterval, clock) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      peers.push_back(std::make_unique<Peer>(("peer" + std::to_string(i)).c_str(), numbers[i], clock,
                                             std::move(sends[i]), log));
      peers.back()->socket.bind(network.sms[i]);
    }
    for (const auto& peer : peers) peer->start();
    sc_core::sc_start(1, sc_core::SC_US);
  }

  const std::vector<SmId> numbers{SmId{0}, SmId{1}, SmId{16}, SmId{17}};
  ClockDomain clock;
  ClusterNetwork network;
  std::vector<std::string> log;
  std::vector<std::unique_ptr<Peer>> peers;
};

TEST(ClusterNetwork, BringsATransferAfterItsLatency) {
  const Gpc gpc({{Sent{10, 17, 32}}, {}, {Sent{12, 0, 8}}, {}});
  EXPECT_THAT(gpc.log, ElementsAre("30: 0 to 17", "32: 16 to 0"));
  EXPECT_TRUE(gpc.network.idle());
}

// 128 bytes are four packets, and each takes the port for two cycles.
TEST(ClusterNetwork, APortTakesOnePacketAfterAnother) {
  const Gpc gpc({{Sent{10, 1, 128}}, {}, {Sent{10, 1, 32}}, {Sent{10, 1, 1}}});
  EXPECT_THAT(gpc.log, ElementsAre("30: 0 to 1", "38: 16 to 1", "40: 17 to 1"));
}

TEST(ClusterNetwork, TransfersToSeveralSmsDoNotWaitForEachOther) {
  const Gpc gpc({{Sent{10, 1, 128}, Sent{18, 16, 128}}, {}, {}, {Sent{10, 0, 128}}});
  EXPECT_THAT(gpc.log, testing::UnorderedElementsAre("30: 0 to 1", "30: 17 to 0", "38: 0 to 16"));
}

}  // namespace
}  // namespace heddle
