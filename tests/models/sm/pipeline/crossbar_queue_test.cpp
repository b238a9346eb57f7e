// When the requests of a load/store unit leave for the crossbar, and how a line becomes requests.

#include "models/sm/pipeline/crossbar_queue.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::size_t kPlaces = 2;
constexpr std::uint32_t kLatency = 10;  // of L1
constexpr RequestNumber kNumber{RequestNumber::Answers::kDirect, 0, 5};

MemoryRequest line(Address address) {
  MemoryRequest request;
  request.address = address;
  request.kind = RequestKind::kLoad;
  return request;
}

TEST(CrossbarQueue, EachRunOfSectorsIsARequest) {
  CrossbarQueue queue(kPlaces, kLatency);
  EXPECT_EQ(queue.add(line(0x1000), kNumber, 0b1011, 0, Cycle{1}, nullptr), 2u);
  EXPECT_EQ(queue.front().address, 0x1000u);
  EXPECT_EQ(queue.front().bytes, 64u);
  EXPECT_EQ(RequestNumber::of(queue.front().number).sectors, 0b0011);
  queue.pop();
  EXPECT_EQ(queue.front().address, 0x1060u);
  EXPECT_EQ(queue.front().bytes, 32u);
  EXPECT_EQ(RequestNumber::of(queue.front().number).sectors, 0b1000);
  EXPECT_EQ(RequestNumber::of(queue.front().number).index, 5u);
  queue.pop();
  EXPECT_FALSE(queue.has_request());
}

TEST(CrossbarQueue, TheLanesOfAnAtomicAreSharedOutToItsRequests) {
  CrossbarQueue queue(kPlaces, kLatency);
  LineAccess atomic;
  atomic.lanes = {1, 2, 0, 4};
  atomic.depth = {1, 1, 0, 3};
  queue.add(line(0), kNumber, 0b1011, 0, Cycle{1}, &atomic);
  EXPECT_EQ(queue.front().lanes, 3);
  EXPECT_EQ(queue.front().depth, 2);
  queue.pop();
  EXPECT_EQ(queue.front().lanes, 4);
  EXPECT_EQ(queue.front().depth, 3);
}

TEST(CrossbarQueue, ARequestOfL1EntersAfterTheLatencyAndNotACycleBefore) {
  CrossbarQueue queue(kPlaces, kLatency);
  queue.add(line(0), kNumber, 0b0001, kLatency, Cycle{100}, nullptr);
  EXPECT_EQ(queue.in_l1(), 1u);
  EXPECT_EQ(queue.due(Cycle{100}), Cycle{110});
  EXPECT_FALSE(queue.leave_l1(Cycle{109}));
  EXPECT_FALSE(queue.has_request());
  EXPECT_TRUE(queue.leave_l1(Cycle{110}));
  EXPECT_TRUE(queue.has_request());
  EXPECT_EQ(queue.in_l1(), 0u);
  EXPECT_EQ(queue.due(Cycle{110}), Cycle::never());
}

TEST(CrossbarQueue, ARequestWaitsInL1WhileTheQueueIsFull) {
  CrossbarQueue queue(kPlaces, kLatency);
  queue.add(line(0), kNumber, 0b0101, 0, Cycle{100}, nullptr);
  EXPECT_FALSE(queue.has_room());
  queue.add(line(0x80), kNumber, 0b0001, kLatency, Cycle{100}, nullptr);
  EXPECT_EQ(queue.due(Cycle{100}), Cycle::never());
  EXPECT_FALSE(queue.leave_l1(Cycle{115}));
  queue.pop();
  EXPECT_EQ(queue.due(Cycle{120}), Cycle{121}) << "its time is over";
  EXPECT_TRUE(queue.leave_l1(Cycle{121}));
  queue.pop();
  EXPECT_EQ(queue.front().address, 0x80u);
  queue.reset();
  EXPECT_FALSE(queue.has_request());
}

}  // namespace
}  // namespace heddle
