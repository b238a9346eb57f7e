#include "models/noc/merged_reads.h"

#include <gtest/gtest.h>

#include <utility>

namespace heddle {
namespace {

using Waiting = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

MemoryRequest read_of(std::uint32_t sm) {
  MemoryRequest made;
  made.kind = RequestKind::kLoad;
  made.address = 0x1000;
  made.bytes = 128;
  made.sm = SmId{sm};
  return made;
}

// The SMs of a TPC merge their reads, two and two.
MergeSpec pairs() {
  return {MergeSpec::Of::kTpc, 4, 3, {2, 1}};
}

Waiting waiting(const MergedReads& merged) {
  Waiting found;
  merged.for_each_waiting([&](SmId first, std::uint32_t reads) { found.emplace_back(first.value, reads); });
  return found;
}

TEST(MergedReads, AnAnswerIsSharedWithTheReadsOfItsGroupOnly) {
  MergedReads merged(pairs(), 4);
  MemoryRequest of_0 = read_of(0), of_1 = read_of(1), of_2 = read_of(2), of_3 = read_of(3);
  EXPECT_FALSE(merged.waits(of_0));
  EXPECT_TRUE(merged.waits(of_1));
  EXPECT_FALSE(merged.waits(of_3)) << "SMs 2 and 3 are another group";
  EXPECT_TRUE(merged.waits(of_2));
  EXPECT_EQ(waiting(merged), (Waiting{{0, 1}, {2, 1}}));
  of_3.missed_line = true;
  EXPECT_TRUE(merged.share(of_3));
  EXPECT_TRUE(merged.answered_sms().test(2));
  EXPECT_FALSE(merged.answered_sms().test(1));
  EXPECT_FALSE(merged.idle());
  EXPECT_EQ(&merged.take_answered(2), &of_2);
  EXPECT_TRUE(of_2.missed_line);
  EXPECT_TRUE(merged.answered_sms().empty());
  EXPECT_EQ(waiting(merged), (Waiting{{0, 1}}));
  EXPECT_FALSE(merged.idle()) << "the read of SM 1 waits for the answer to that of SM 0";
}

TEST(MergedReads, AnSmTakesItsReadsInTheOrderOfTheirAnswers) {
  MergedReads merged(pairs(), 2);
  MemoryRequest of_0 = read_of(0), first = read_of(1), second = read_of(1);
  EXPECT_FALSE(merged.waits(of_0));
  EXPECT_TRUE(merged.waits(first));
  EXPECT_TRUE(merged.waits(second));
  EXPECT_TRUE(merged.share(of_0));
  EXPECT_EQ(&merged.take_answered(1), &first);
  EXPECT_TRUE(merged.answered_sms().test(1));
  EXPECT_EQ(&merged.take_answered(1), &second);
  EXPECT_TRUE(merged.idle());
}

TEST(MergedReads, WithoutGroupsNoReadWaits) {
  MergedReads merged({}, 2);
  MemoryRequest of_0 = read_of(0), of_1 = read_of(1);
  EXPECT_FALSE(merged.waits(of_0));
  EXPECT_FALSE(merged.waits(of_1));
  EXPECT_FALSE(merged.share(of_0));
  EXPECT_TRUE(merged.idle());
}

}  // namespace
}  // namespace heddle
