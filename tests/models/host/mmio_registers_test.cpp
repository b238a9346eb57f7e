#include "models/host/mmio_registers.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using namespace registers;
using Effect = MmioRegisters::Effect;

constexpr std::uint32_t kQueueCount = 2;
constexpr std::uint32_t kContextCount = 3;
constexpr std::uint32_t kSmCount = 13;

std::vector<std::uint32_t> members(const PortSet& set) {
  std::vector<std::uint32_t> found;
  set.for_each([&](std::uint32_t i) { found.push_back(i); });
  return found;
}

struct MmioRegistersTest : testing::Test {
  MmioRegisters registers{kQueueCount, kContextCount, kSmCount};
};

TEST_F(MmioRegistersTest, TellWhatTheGpuHas) {
  EXPECT_EQ(registers.read(kQueues), kQueueCount);
  EXPECT_EQ(registers.read(kContexts), kContextCount);
  EXPECT_EQ(registers.read(kSms), kSmCount);
  EXPECT_EQ(registers.read(kCounters), 0u);
}

TEST_F(MmioRegistersTest, ADoorbellIsTheWriteOfATailAlone) {
  EXPECT_EQ(registers.write(queue(1, kBase), 0x4000, Cycle{5}), Effect::kStored);
  EXPECT_EQ(registers.write(queue(1, kTail), 3, Cycle{5}), Effect::kDoorbell);
  EXPECT_EQ(registers.read(queue(1, kBase)), 0x4000u);
  EXPECT_EQ(registers.read(queue(1, kTail)), 3u);
  EXPECT_EQ(registers.queue(1).tail.read(Cycle{5}), 0u);
  EXPECT_EQ(registers.queue(1).tail.read(Cycle{6}), 3u);
  EXPECT_EQ(members(registers.written_queues()), std::vector<std::uint32_t>{1});
}

TEST_F(MmioRegistersTest, AContextIsChangedUntilItsReaderTakesItOut) {
  EXPECT_EQ(registers.write(context(2, kTokens), 7, Cycle{5}), Effect::kContext);
  EXPECT_EQ(registers.read(context(2, kTokens)), 7u);
  EXPECT_EQ(members(registers.changed_contexts()), std::vector<std::uint32_t>{2});
  registers.changed_contexts().clear(2);
  EXPECT_TRUE(registers.changed_contexts().empty());
}

TEST_F(MmioRegistersTest, AWriteClearsTheErrorButNotItsQueue) {
  registers.set_error(QueueError::kRing, 1);
  EXPECT_EQ(registers.read(kError), static_cast<std::uint64_t>(QueueError::kRing));
  EXPECT_EQ(registers.write(kError, 99, Cycle{0}), Effect::kStored);
  EXPECT_EQ(registers.read(kError), 0u);
  EXPECT_EQ(registers.read(kErrorQueue), 1u);
}

TEST_F(MmioRegistersTest, HaveNoOtherAddresses) {
  for (const Address address : {kErrorQueue + 8, queue(0, kWriteback) + 8, queue(kQueueCount, kBase),
                                context(0, kTextureTable) + 8, context(kContextCount, kPriority), kEnd}) {
    EXPECT_EQ(registers.read(address), std::nullopt) << address;
    EXPECT_EQ(registers.write(address, 1, Cycle{0}), Effect::kNone) << address;
  }
  for (const Address address : {kId, kErrorQueue, queue(0, kHead), kCounterValues})
    EXPECT_EQ(registers.write(address, 1, Cycle{0}), Effect::kNone) << address;
}

TEST_F(MmioRegistersTest, AreZeroAfterAReset) {
  static_cast<void>(registers.write(queue(0, kTail), 3, Cycle{0}));
  static_cast<void>(registers.write(context(0, kPriority), 3, Cycle{0}));
  registers.queue(0).head = 2;
  registers.set_error(QueueError::kBus, 1);
  registers.reset();
  for (const Address address : {queue(0, kTail), queue(0, kHead), context(0, kPriority), kError, kErrorQueue})
    EXPECT_EQ(registers.read(address), 0u) << address;
  EXPECT_TRUE(registers.written_queues().empty());
  EXPECT_TRUE(registers.changed_contexts().empty());
}

TEST_F(MmioRegistersTest, TheWindowShowsCountersInTheOrderOfTheirPaths) {
  Counter hits, misses;
  Group root("l2");
  root.add(misses, "misses", "access", "accesses that fetched their line");
  root.add(hits, "hits", "access", "accesses that found their line");
  root.add_formula("hit_rate", "1", "hits per access", {hits}, {hits, misses});
  hits += 3;
  registers.counters().show(root);
  EXPECT_EQ(registers.read(kCounters), 2u);
  EXPECT_EQ(registers.read(kCounterValues), 3u);
  EXPECT_EQ(registers.read(kCounterValues + 16), 0u);
  const std::uint64_t name = registers.read(kCounterNames).value_or(0);
  EXPECT_EQ(static_cast<char>(name & 0xff), 'l');
}

}  // namespace
}  // namespace heddle
