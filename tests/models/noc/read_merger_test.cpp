#include "models/noc/read_merger.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

MemoryRequest request(Address address, std::uint32_t bytes, RequestKind kind = RequestKind::kLoad) {
  MemoryRequest made;
  made.address = address;
  made.bytes = bytes;
  made.kind = kind;
  return made;
}

MergeSpec spec(std::uint32_t entries = 4, std::uint32_t reads = 3) {
  return {MergeSpec::Of::kTpc, entries, reads, {2, 1}};
}

TEST(ReadMerger, ReadsOfTheSectorsOfAReadWaitForItsAnswerInOrder) {
  ReadMerger merger(spec());
  MemoryRequest first = request(0x1000, 128), same = request(0x1000, 128), part = request(0x1020, 64);
  EXPECT_FALSE(merger.waits(first));
  EXPECT_TRUE(merger.waits(same));
  EXPECT_TRUE(merger.waits(part));
  EXPECT_EQ(merger.waiting(), 2u);
  EXPECT_EQ(merger.answered(first), (std::vector<MemoryRequest*>{&same, &part}));
  EXPECT_EQ(merger.waiting(), 0u);
}

TEST(ReadMerger, AReadOfOtherSectorsOrAfterTheAnswerGoesOn) {
  ReadMerger merger(spec());
  MemoryRequest half = request(0x1000, 64), whole = request(0x1000, 128), late = request(0x1000, 64);
  EXPECT_FALSE(merger.waits(half));
  EXPECT_FALSE(merger.waits(whole)) << "the answer to the first brings half of it";
  EXPECT_TRUE(merger.answered(half).empty());
  EXPECT_TRUE(merger.answered(whole).empty());
  EXPECT_FALSE(merger.waits(late));
}

TEST(ReadMerger, AnAnswerServesNoMoreThanSoManyReads) {
  ReadMerger merger(spec(4, 3));
  std::vector<MemoryRequest> reads(5, request(0x1000, 128));
  std::vector<bool> waits;
  for (MemoryRequest& read : reads) waits.push_back(merger.waits(read));
  EXPECT_EQ(waits, (std::vector<bool>{false, true, true, false, true})) << "the fourth begins again";
  EXPECT_EQ(merger.answered(reads[3]), (std::vector<MemoryRequest*>{&reads[4]}));
  EXPECT_EQ(merger.answered(reads[0]), (std::vector<MemoryRequest*>{&reads[1], &reads[2]}));
}

TEST(ReadMerger, NoReadWaitsPastAWriteOrAnAtomicToItsLine) {
  for (const RequestKind kind : {RequestKind::kStore, RequestKind::kAtomic}) {
    ReadMerger merger(spec());
    MemoryRequest before = request(0x1000, 128), write = request(0x1040, 32, kind),
                  other = request(0x2000, 32), after = request(0x1000, 128), again = request(0x1000, 128);
    EXPECT_FALSE(merger.waits(before));
    EXPECT_FALSE(merger.waits(other));
    EXPECT_FALSE(merger.waits(write));
    EXPECT_FALSE(merger.waits(after));
    EXPECT_TRUE(merger.waits(again));
    EXPECT_TRUE(merger.answered(before).empty());
    EXPECT_TRUE(merger.answered(write).empty());
    EXPECT_EQ(merger.answered(after), (std::vector<MemoryRequest*>{&again}));
  }
}

TEST(ReadMerger, WithoutAFreeEntryAReadGoesOnAndNobodyWaitsForIt) {
  ReadMerger merger(spec(1));
  MemoryRequest first = request(0x1000, 32), second = request(0x2000, 32), third = request(0x2000, 32);
  EXPECT_FALSE(merger.waits(first));
  EXPECT_FALSE(merger.waits(second));
  EXPECT_FALSE(merger.waits(third));
  merger.answered(second);
  merger.answered(first);
  EXPECT_FALSE(merger.waits(second));
  EXPECT_TRUE(merger.waits(third));
}

}  // namespace
}  // namespace heddle
