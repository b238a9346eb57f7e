#include "models/host/host_driver.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

const QueueSpec kQueues{4, 8, 16, 16};
std::vector<DeviceMemory> none;  // no context

TEST(HostDriver, StreamsTakeQueuesInTurnProcessByProcess) {
  HostDriver driver(kQueues, 1000, none);
  driver.add_process(2);
  driver.add_process(1);
  driver.add_process(3);
  EXPECT_EQ(driver.queue_of(0, 0), 0u);
  EXPECT_EQ(driver.queue_of(0, 1), 1u);
  EXPECT_EQ(driver.queue_of(1, 0), 2u);
  EXPECT_EQ(driver.queue_of(2, 0), 3u);
  EXPECT_EQ(driver.queue_of(2, 1), 0u);
  EXPECT_EQ(driver.queue_of(2, 2), 1u);
}

// Rings, kernel descriptors, head words, fences and buffers do not overlap.
TEST(HostDriver, NothingOverlapsInSystemMemory) {
  const QueueSpec queues{128, 1 << 14, 4096, 16};
  HostDriver driver(queues, 1000, none);
  std::map<Address, Address> ranges;
  const auto claim = [&](Address from, Address bytes) {
    const auto after = ranges.lower_bound(from);
    ASSERT_TRUE(after == ranges.end() || from + bytes <= after->first) << std::hex << from;
    ASSERT_TRUE(after == ranges.begin() || std::prev(after)->second <= from) << std::hex << from;
    ranges[from] = from + bytes;
  };
  for (std::uint32_t queue = 0; queue < queues.count; ++queue) {
    claim(driver.ring(queue), queues.entries * kDescriptorBytes);
    claim(driver.kernel_slot(queue, 0), queues.entries * kDescriptorBytes);
    claim(driver.head_word(queue), 8);
    EXPECT_EQ(driver.kernel_slot(queue, queues.entries + 3), driver.kernel_slot(queue, 3));
    EXPECT_EQ(driver.kernel_slot(queue, 3), driver.kernel_slot(queue, 0) + 3 * kDescriptorBytes);
  }
  for (std::uint32_t process = 0; process < 64; ++process) {
    claim(HostDriver::fence(process, 0), 8 * queues.streams);
    EXPECT_EQ(HostDriver::fence(process, 5), HostDriver::fence(process, 0) + 40);
    claim(HostDriver::piece_word(process, 0), 8 * queues.streams);
    claim(HostDriver::buffers(process), Address{1} << 36);
  }
}

TEST(HostDriver, ARingIsWrittenByOneAtATimeInOrderOfAsking) {
  HostDriver driver(kQueues, 1000, none);
  driver.ask(1, 100, 2);
  driver.ask(1, 100, 1);
  driver.ask(1, 50, 3);
  driver.ask(2, 10, 0);
  EXPECT_FALSE(driver.grant(1, 100, 1)) << "process 3 asked first";
  EXPECT_TRUE(driver.grant(1, 50, 3));
  EXPECT_FALSE(driver.grant(1, 100, 1)) << "the ring is taken";
  EXPECT_TRUE(driver.grant(2, 10, 0)) << "another ring is not";
  driver.release(1);
  EXPECT_FALSE(driver.grant(1, 100, 2)) << "at one time the lower number goes first";
  EXPECT_TRUE(driver.grant(1, 100, 1));
  driver.release(1);
  EXPECT_TRUE(driver.grant(1, 100, 2));
}

TEST(HostDriver, AQueueIsProgrammedOnce) {
  HostDriver driver(kQueues, 1000, none);
  EXPECT_TRUE(driver.take_programmed(0));
  EXPECT_FALSE(driver.take_programmed(0));
  EXPECT_TRUE(driver.take_programmed(1));
}

TEST(HostDriver, DeviceMemoryIsFinite) {
  std::vector<DeviceMemory> memory(2);
  HostDriver driver(kQueues, 1000, memory);
  const auto first = driver.allocate(0, {"a", 600});
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(driver.allocate(1, {"b", 401}).has_value());
  const auto second = driver.allocate(0, {"b", 400});
  ASSERT_TRUE(second.has_value());
  EXPECT_GE(*second, *first + 600);
  EXPECT_EQ(*second % 256, 0u);
  EXPECT_FALSE(driver.allocate(0, {"c", 1}).has_value());
  EXPECT_FALSE(driver.allocate(0, {"empty", 0}).has_value());
  driver.free(0, *first);
  EXPECT_TRUE(driver.allocate(1, {"d", 600}).has_value());
}

TEST(HostDriver, ContextsHaveTheSameAddressesAndTakeThemAgainAfterAFree) {
  std::vector<DeviceMemory> memory(2);
  HostDriver driver(kQueues, 1 << 20, memory);
  const auto first = driver.allocate(0, {"a", 600});
  EXPECT_EQ(first, DeviceMemory::kFirst);
  EXPECT_EQ(driver.allocate(1, {"mine", 600}), first);
  const auto second = driver.allocate(0, {"b", 600});
  driver.free(0, *first);
  EXPECT_EQ(driver.allocate(0, {"c", 600}), first);
  EXPECT_EQ(memory[0].find(*first)->name, "c");
  EXPECT_EQ(memory[0].find(*second)->name, "b");
  EXPECT_EQ(memory[1].find(*first)->name, "mine");
}

}  // namespace
}  // namespace heddle
