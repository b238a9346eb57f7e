// Requests as a block in RTL sees them, without a block: the pins are written by hand.

#include "models/rtl/interfaces/rtl_requests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/rtl/interfaces/address_data.h"
#include "models/rtl/interfaces/rtl_memory.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const RtlRole& no_signals() {
  static const RtlRole role{"test", "none", "l2", "", nullptr, {}, {}, true};
  return role;
}

// An instance without connected pins.
struct Port {
  Port() {
    spec.name = "fake";
    spec.place = "fake.yaml:1:1";
    spec.source.library = test::rtl_directory() + "/fake_block.so";
    library = RtlLibrary::load(spec.source.library);
    port = std::make_unique<RtlPort>(spec, *library, no_signals(), 1, "l2_0");
  }
  RtlSpec spec;
  std::shared_ptr<const RtlLibrary> library;
  std::unique_ptr<RtlPort> port;
};

struct HandPins : public RequestPins {
  std::uint32_t unit(std::uint32_t transfer_bytes) const override { return std::max(transfer_bytes, 32u); }
  bool has_bursts() const override { return true; }
  std::uint64_t ids() const override { return numbers; }
  bool knows_atomics() const override { return atomics; }
  bool answers_writes() const override { return write_answers; }
  bool answers_apart() const override { return apart; }
  void drive(const RtlTransfer* transfer, bool) override {
    if (transfer != nullptr) offered.push_back(*transfer);
  }
  bool taken(const RtlTransfer&) override { return takes; }
  void collect(RtlRequests& requests) override {
    for (const RtlResponse& response : responses) requests.respond(response);
    responses.clear();
  }

  std::uint64_t numbers = 16;
  bool atomics = false, write_answers = true, apart = false, takes = true;
  std::vector<RtlTransfer> offered;    // in each tick
  std::vector<RtlResponse> responses;  // of the next tick
};

class RtlRequestsTest : public testing::Test {
 protected:
  RtlRequests& make(std::unique_ptr<HandPins> pins, std::uint32_t transfer_bytes = 0) {
    pins_ = pins.get();
    RtlInterfaceSpec spec;
    spec.transfer_bytes = transfer_bytes;
    spec.outstanding = outstanding_;
    requests_ = std::make_unique<RtlRequests>(
        *port_.port, std::move(pins), spec, true,
        [this](const std::string& output, const std::string& expected, const std::string& got) {
          faults_.push_back(fmt::format("{}: {} not {}", output, got, expected));
        });
    return *requests_;
  }
  static RtlRequest read(std::uint64_t number, Address address, std::uint32_t bytes) {
    RtlRequest request;
    request.number = number;
    request.address = address;
    request.bytes = bytes;
    return request;
  }
  void tick() {
    requests_->drive(true);
    requests_->collect();
  }
  void respond(std::optional<std::uint64_t> id, bool write = false) {
    pins_->responses.push_back({write, id, false, std::nullopt});
    tick();
  }
  std::vector<std::uint64_t> answers() {
    std::vector<std::uint64_t> numbers;
    for (auto& all = requests_->answers(); !all.empty(); all.pop()) numbers.push_back(all.front().number);
    return numbers;
  }
  std::vector<std::pair<Address, std::uint32_t>> offered() const {
    std::vector<std::pair<Address, std::uint32_t>> ranges;
    for (const RtlTransfer& transfer : pins_->offered) ranges.emplace_back(transfer.address, transfer.bytes);
    return ranges;
  }
  using Range = std::pair<Address, std::uint32_t>;

  Port port_;
  std::uint32_t outstanding_ = 0;
  HandPins* pins_ = nullptr;
  std::unique_ptr<RtlRequests> requests_;
  std::vector<std::string> faults_;
};

TEST_F(RtlRequestsTest, ARequestIsSplitIntoAlignedTransfersAndJoined) {
  RtlRequests& requests = make(std::make_unique<HandPins>(), 32);
  requests.give(read(5, 0x1020, 96));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(requests.offering());
    tick();
  }
  EXPECT_FALSE(requests.offering());
  EXPECT_THAT(offered(), ElementsAre(Range{0x1020, 32}, Range{0x1040, 32}, Range{0x1060, 32}));
  respond(pins_->offered[2].id);
  respond(pins_->offered[0].id);
  EXPECT_THAT(answers(), IsEmpty());
  respond(pins_->offered[1].id);
  EXPECT_THAT(answers(), ElementsAre(5));
  EXPECT_EQ(requests.outstanding(), 0u);
}

TEST_F(RtlRequestsTest, ATransferMayBeWiderThanTheRequest) {
  make(std::make_unique<HandPins>(), 128).give(read(1, 0x10e0, 32));
  tick();
  EXPECT_THAT(offered(), ElementsAre(Range{0x1080, 128}));
  EXPECT_TRUE(pins_->offered[0].request.has(0x10e0));
  EXPECT_FALSE(pins_->offered[0].request.has(0x10df));
}

TEST_F(RtlRequestsTest, WithoutASizeATransferIsTheRequest) {
  make(std::make_unique<HandPins>()).give(read(1, 0x1040, 64));
  tick();
  EXPECT_THAT(offered(), ElementsAre(Range{0x1040, 64}));
}

TEST_F(RtlRequestsTest, ATransferWaitsUntilItIsTaken) {
  RtlRequests& requests = make(std::make_unique<HandPins>());
  pins_->takes = false;
  requests.give(read(1, 0x40, 32));
  tick();
  tick();
  EXPECT_FALSE(requests.can_give());
  pins_->takes = true;
  tick();
  EXPECT_TRUE(requests.can_give());
  ASSERT_EQ(pins_->offered.size(), 3u);
  EXPECT_EQ(pins_->offered[0].id, pins_->offered[2].id);
}

TEST_F(RtlRequestsTest, RequestsAreAnsweredInAnyOrderByTheirNumbers) {
  RtlRequests& requests = make(std::make_unique<HandPins>());
  for (std::uint64_t i = 0; i < 4; ++i) {
    requests.give(read(i, i * 128, 32));
    tick();
  }
  for (const std::size_t i : {2, 0, 3, 1}) respond(pins_->offered[i].id);
  EXPECT_THAT(answers(), ElementsAre(2, 0, 3, 1));
}

TEST_F(RtlRequestsTest, WithoutNumbersTheyAreAnsweredInOrder) {
  auto pins = std::make_unique<HandPins>();
  pins->numbers = 0;
  RtlRequests& requests = make(std::move(pins));
  for (std::uint64_t i = 0; i < 3; ++i) {
    requests.give(read(i, i * 128, 32));
    tick();
  }
  for (int i = 0; i < 3; ++i) respond(std::nullopt);
  EXPECT_THAT(answers(), ElementsAre(0, 1, 2));
}

TEST_F(RtlRequestsTest, ReadsAndWritesHaveOrdersOfTheirOwnWhereTheyAreAnsweredApart) {
  auto pins = std::make_unique<HandPins>();
  pins->numbers = 0;
  pins->apart = true;
  RtlRequests& requests = make(std::move(pins));
  for (std::uint64_t i = 0; i < 4; ++i) {
    RtlRequest request = read(i, i * 128, 32);
    request.write = i % 2 == 1;
    requests.give(request);
    tick();
  }
  respond(std::nullopt, true);
  respond(std::nullopt, false);
  respond(std::nullopt, true);
  respond(std::nullopt, false);
  EXPECT_THAT(answers(), ElementsAre(1, 0, 3, 2));
}

TEST_F(RtlRequestsTest, AWriteWithoutResponseIsAnsweredWhenItIsTaken) {
  auto pins = std::make_unique<HandPins>();
  pins->numbers = 0;
  pins->write_answers = false;
  RtlRequests& requests = make(std::move(pins));
  requests.give(read(0, 0, 32));
  tick();
  RtlRequest write = read(1, 128, 32);
  write.write = true;
  requests.give(write);
  tick();
  EXPECT_THAT(answers(), ElementsAre(1));
  respond(std::nullopt);
  EXPECT_THAT(answers(), ElementsAre(0));
}

TEST_F(RtlRequestsTest, AnAtomicThatTheBlockDoesNotKnowIsReadAndThenWritten) {
  RtlRequests& requests = make(std::make_unique<HandPins>());
  RtlRequest atomic = read(9, 0x200, 32);
  atomic.atomic = true;
  requests.give(atomic);
  tick();
  EXPECT_FALSE(pins_->offered[0].write);
  respond(pins_->offered[0].id);
  EXPECT_THAT(answers(), IsEmpty());
  EXPECT_FALSE(requests.can_give()) << "the write comes before the next request";
  tick();
  ASSERT_EQ(pins_->offered.size(), 2u);
  EXPECT_TRUE(pins_->offered[1].write);
  EXPECT_TRUE(pins_->offered[1].request.is_enabled(0x21f));
  respond(pins_->offered[1].id, true);
  EXPECT_THAT(answers(), ElementsAre(9));
}

TEST_F(RtlRequestsTest, AnAtomicThatTheBlockKnowsIsOneTransfer) {
  auto pins = std::make_unique<HandPins>();
  pins->atomics = true;
  RtlRequests& requests = make(std::move(pins));
  RtlRequest atomic = read(9, 0x200, 32);
  atomic.atomic = true;
  requests.give(atomic);
  tick();
  EXPECT_TRUE(pins_->offered[0].atomic);
  respond(pins_->offered[0].id);
  EXPECT_THAT(answers(), ElementsAre(9));
}

TEST_F(RtlRequestsTest, FewNumbersHoldRequestsBack) {
  auto pins = std::make_unique<HandPins>();
  pins->numbers = 2;
  RtlRequests& requests = make(std::move(pins), 32);
  requests.give(read(1, 0, 128));
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_EQ(pins_->offered.size(), 2u);
  for (std::size_t i = 0; i < 4; ++i) respond(pins_->offered[i].id);
  EXPECT_EQ(pins_->offered.size(), 4u);
  EXPECT_THAT(answers(), ElementsAre(1));
}

TEST_F(RtlRequestsTest, ABlockMayHaveOneTransferAtOnce) {
  outstanding_ = 1;
  RtlRequests& requests = make(std::make_unique<HandPins>(), 32);
  requests.give(read(1, 0, 64));
  for (int i = 0; i < 3; ++i) tick();
  EXPECT_EQ(pins_->offered.size(), 1u);
  respond(pins_->offered[0].id);
  tick();
  EXPECT_THAT(offered(), ElementsAre(Range{0, 32}, Range{32, 32}));
}

TEST_F(RtlRequestsTest, AResponseToNothingIsAFault) {
  make(std::make_unique<HandPins>());
  respond(3);
  EXPECT_THAT(faults_, ElementsAre("response number: 3 not that of an outstanding transfer"));
}

TEST(AddressData, BytesAreTheirAddress) {
  EXPECT_EQ(data_at(0x1238), 0x1238u);
  EXPECT_EQ(data_at(0x123c), 0x1240ull << 32);
  EXPECT_EQ(data_at(0x11'2233'4455'6681), 0x8800'1122'3344'5566u);
}

// ---- requests to memory

struct HandMemoryPins : public MemoryPins {
  void drive(RtlMemory&, bool has_room) override { room = has_room; }
  void collect(RtlMemory& memory) override {
    if (room && request) memory.take(*request);
    request.reset();
  }
  bool answers_writes() const override { return write_answers; }
  bool answers_apart() const override { return false; }
  std::uint32_t id_bits() const override { return 4; }
  bool is_busy() const override { return false; }
  void reset() override {}

  bool room = false, write_answers = true;
  std::optional<RtlMemoryRequest> request;
};

class RtlMemoryTest : public testing::Test {
 protected:
  RtlMemoryTest() {
    auto pins = std::make_unique<HandMemoryPins>();
    pins_ = pins.get();
    memory_ = std::make_unique<RtlMemory>(*port_.port, std::move(pins), 64, true, [](auto&&...) {});
  }
  // Returns the bursts of the request.
  std::vector<RtlMemoryBurst> ask(Address address, std::uint32_t bytes, std::uint64_t id,
                                  bool write = false) {
    RtlMemoryRequest request;
    request.address = address;
    request.bytes = bytes;
    request.id = id;
    request.write = write;
    for (std::uint64_t& word : request.enables) word = 0xffff'0000'ffff'0000;
    pins_->request = request;
    memory_->drive(true);
    memory_->collect();
    std::vector<RtlMemoryBurst> bursts;
    for (auto& all = memory_->bursts(); !all.empty(); all.pop()) bursts.push_back(all.front());
    return bursts;
  }
  Address next_answer() {
    const RtlMemoryRequest* answer = memory_->answer(false);
    if (answer == nullptr) return 0;
    const Address address = answer->address;
    memory_->pop_answer(false);
    return address;
  }

  Port port_;
  HandMemoryPins* pins_ = nullptr;
  std::unique_ptr<RtlMemory> memory_;
};

TEST_F(RtlMemoryTest, ARequestIsSplitIntoBurstsAndAnsweredWhenAllAre) {
  const auto bursts = ask(0x1020, 128, 1);
  ASSERT_EQ(bursts.size(), 3u);
  EXPECT_EQ(bursts[0].address, 0x1020u);
  EXPECT_EQ(bursts[0].bytes, 32u);
  EXPECT_EQ(bursts[1].bytes, 64u);
  EXPECT_EQ(bursts[2].bytes, 32u);
  memory_->answered(bursts[2].request);
  memory_->answered(bursts[0].request);
  EXPECT_EQ(next_answer(), 0u);
  memory_->answered(bursts[1].request);
  EXPECT_EQ(next_answer(), 0x1020u);
  EXPECT_TRUE(memory_->is_idle());
}

TEST_F(RtlMemoryTest, EnablesGoWithTheirBytes) {
  const auto bursts = ask(0x1020, 64, 1, true);
  ASSERT_EQ(bursts.size(), 2u);
  EXPECT_EQ(bursts[0].enables, 0xffff'0000u);
  EXPECT_EQ(bursts[1].enables, 0xffff'0000u);
}

TEST_F(RtlMemoryTest, AnswersOfOneNumberKeepTheirOrder) {
  const auto first = ask(0x100, 64, 3), second = ask(0x200, 64, 3), other = ask(0x300, 64, 4);
  memory_->answered(second[0].request);
  memory_->answered(other[0].request);
  EXPECT_EQ(next_answer(), 0x300u);
  EXPECT_EQ(next_answer(), 0u);
  memory_->answered(first[0].request);
  EXPECT_EQ(next_answer(), 0x100u);
  EXPECT_EQ(next_answer(), 0x200u);
}

TEST_F(RtlMemoryTest, AWriteWithoutAnswerHoldsNothingBack) {
  pins_->write_answers = false;
  const auto write = ask(0x100, 64, 3, true), read = ask(0x200, 64, 3);
  memory_->answered(read[0].request);
  EXPECT_EQ(next_answer(), 0x200u);
  EXPECT_FALSE(memory_->is_idle());
  memory_->answered(write[0].request);
  EXPECT_TRUE(memory_->is_idle());
}

TEST_F(RtlMemoryTest, NothingIsTakenWhileABurstWaits) {
  ask(0x100, 64, 1);
  memory_->drive(true);
  EXPECT_TRUE(pins_->room);
  pins_->request = RtlMemoryRequest{0x200, 64, false, 1, {}};
  memory_->collect();
  memory_->drive(true);
  EXPECT_FALSE(pins_->room);
}

}  // namespace
}  // namespace heddle
