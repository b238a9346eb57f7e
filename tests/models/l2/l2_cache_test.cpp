#include "models/l2/l2_cache.h"

#include <gtest/gtest.h>

#include <list>
#include <map>

#include "models/core/base/random.h"
#include "tests/support/machine/l2_cache_rig.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using Kind = L2Cache::Kind;
using Stall = L2Cache::Stall;

TEST(L2Cache, ALineReadMissesByBursts) {
  L2CacheRig l2(small_l2(64));
  ASSERT_EQ(l2.access(Kind::kRead, 0x1000, 128), Stall::kNone);
  EXPECT_EQ(l2.outcome.sectors, 4u);
  EXPECT_EQ(l2.outcome.fills, 2u);
  ASSERT_EQ(l2.outcome.transfers, 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(l2.outcome.transfer[i].write);
    EXPECT_EQ(l2.outcome.transfer[i].address, 0x1000u + 64 * i);
    EXPECT_EQ(l2.outcome.transfer[i].bytes, 64u);
    EXPECT_EQ(l2.outcome.transfer[i].after, 2 * i);
  }
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kRead, 0x1000, 128), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  EXPECT_EQ(l2.counter("hits"), 4u);
  EXPECT_EQ(l2.counter("line_misses"), 4u);
  EXPECT_EQ(l2.counter("fill_bytes"), 128u);
}

TEST(L2Cache, FillsOfASectorAskForSectors) {
  L2CacheRig l2(small_l2(32));
  ASSERT_EQ(l2.access(Kind::kRead, 0x1020, 96), Stall::kNone);
  ASSERT_EQ(l2.outcome.transfers, 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(l2.outcome.transfer[i].address, 0x1020u + 32 * i);
    EXPECT_EQ(l2.outcome.transfer[i].bytes, 32u);
  }
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kRead, 0x1000, 64), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 1u);
  EXPECT_EQ(l2.counter("sector_misses"), 1u);
  EXPECT_EQ(l2.counter("hits"), 1u);
}

TEST(L2Cache, ABurstBringsTheNeighbourSector) {
  L2CacheRig l2(small_l2(64));
  ASSERT_EQ(l2.access(Kind::kRead, 0x1020, 32), Stall::kNone);
  ASSERT_EQ(l2.outcome.transfers, 1u);
  EXPECT_EQ(l2.outcome.transfer[0].address, 0x1000u);
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kRead, 0x1000, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
}

TEST(L2Cache, RequestsMergeUpToTheLimit) {
  L2CacheRig l2(small_l2());
  ASSERT_EQ(l2.access(Kind::kRead, 0x1000, 32), Stall::kNone);
  const MshrFile::Entry entry = l2.outcome.transfer[0].mshr;
  ASSERT_EQ(l2.access(Kind::kRead, 0x1020, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 1u);
  EXPECT_EQ(l2.outcome.transfers, 0u);
  EXPECT_EQ(l2.counter("pending_hits"), 1u);
  EXPECT_EQ(l2.counter("mshr_merges"), 1u);
  EXPECT_EQ(l2.access(Kind::kRead, 0x1000, 32), Stall::kMerge);
  EXPECT_EQ(l2.counter("requests"), 2u) << "a stalled request leaves no trace";
  ASSERT_EQ(l2.cache.mshrs().waiting(entry), 2u);
  EXPECT_EQ(l2.cache.mshrs().waiter(entry, 0), 1u);
  EXPECT_EQ(l2.cache.mshrs().waiter(entry, 1), 2u);
}

TEST(L2Cache, WholeSectorsAreWrittenWithoutAFetch) {
  L2CacheRig l2(small_l2());
  ASSERT_EQ(l2.access(Kind::kWrite, 0x1000, 96), Stall::kNone);
  EXPECT_EQ(l2.outcome.transfers, 0u);
  EXPECT_EQ(l2.outcome.fills, 0u);
  ASSERT_EQ(l2.access(Kind::kRead, 0x1000, 96), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  EXPECT_EQ(l2.counter("hits"), 3u);
  EXPECT_EQ(l2.counter("misses"), 3u);
}

// Set 0 has two ways. The third line evicts the first one, with one transfer for each burst that has dirty
// sectors.
TEST(L2Cache, EvictionWritesBackDirtyBursts) {
  L2CacheRig l2(small_l2());
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0020, 64), Stall::kNone);  // a sector of each burst
  ASSERT_EQ(l2.access(Kind::kRead, 0x0200, 32), Stall::kNone);
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0400, 128), Stall::kNone);
  ASSERT_EQ(l2.outcome.transfers, 2u);
  EXPECT_TRUE(l2.outcome.transfer[0].write);
  EXPECT_EQ(l2.outcome.transfer[0].address, 0x20u);
  EXPECT_EQ(l2.outcome.transfer[0].bytes, 32u);
  EXPECT_EQ(l2.outcome.transfer[0].written, 0xffffffffu);
  EXPECT_EQ(l2.outcome.transfer[1].address, 0x40u);
  EXPECT_EQ(l2.outcome.transfer[1].bytes, 32u);
  ASSERT_EQ(l2.access(Kind::kRead, 0x0600, 32), Stall::kNone);  // evicts the clean line
  EXPECT_EQ(l2.outcome.transfers, 1u);
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kRead, 0x0800, 32), Stall::kNone);  // evicts the whole dirty line
  ASSERT_EQ(l2.outcome.transfers, 3u);
  EXPECT_EQ(l2.outcome.transfer[0].bytes, 64u);
  EXPECT_EQ(l2.outcome.transfer[1].address, 0x440u);
  EXPECT_EQ(l2.counter("write_backs"), 4u);
  EXPECT_EQ(l2.counter("write_back_bytes"), 64u + 128u);
  EXPECT_EQ(l2.counter("partial_write_backs"), 0u);
}

TEST(L2Cache, ASectorWrittenInPartKeepsItsBytes) {
  L2CacheRig l2(small_l2());
  L2Cache::Access part = l2.request(Kind::kWrite, 0x0000, 32);
  part.written[0] = 0x0000ffff;
  ASSERT_EQ(l2.cache.access(part, 6, l2.outcome), Stall::kNone);
  EXPECT_EQ(l2.outcome.transfers, 0u);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0200, 32), Stall::kNone);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0400, 32), Stall::kNone);  // evicts the line
  ASSERT_EQ(l2.outcome.transfers, 1u);
  EXPECT_EQ(l2.outcome.transfer[0].written, 0x0000ffffu);
  EXPECT_EQ(l2.counter("partial_write_backs"), 1u);
}

TEST(L2Cache, AReadOfASectorWrittenInPartFetchesAndMerges) {
  L2CacheRig l2(small_l2());
  L2Cache::Access part = l2.request(Kind::kWrite, 0x0000, 32);
  part.written[0] = 0x0000ffff;
  ASSERT_EQ(l2.cache.access(part, 6, l2.outcome), Stall::kNone);
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 1u);
  EXPECT_EQ(l2.counter("sector_misses"), 1u);
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0200, 32), Stall::kNone);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0400, 32), Stall::kNone);
  ASSERT_EQ(l2.outcome.transfers, 1u);
  EXPECT_EQ(l2.outcome.transfer[0].written, 0xffffffffu) << "the whole sector is known now";
}

TEST(L2Cache, TwoHalvesMakeAWholeSector) {
  L2CacheRig l2(small_l2());
  for (const std::uint32_t half : {0x0000ffffu, 0xffff0000u}) {
    L2Cache::Access part = l2.request(Kind::kWrite, 0x0000, 32);
    part.written[0] = half;
    ASSERT_EQ(l2.cache.access(part, 6, l2.outcome), Stall::kNone);
  }
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  EXPECT_EQ(l2.counter("hits"), 2u);
}

TEST(L2Cache, SectorsWithoutAWrittenByteAreNotAccessed) {
  L2CacheRig l2(small_l2());
  L2Cache::Access write = l2.request(Kind::kWrite, 0x0000, 128);
  write.written = {1, 0, 0, 0x80000000};
  ASSERT_EQ(l2.cache.access(write, 6, l2.outcome), Stall::kNone);
  EXPECT_EQ(l2.outcome.sectors, 2u);
  EXPECT_EQ(l2.counter("accesses"), 2u);
  write.written = {};
  write.address = write.index = 0x1000;
  ASSERT_EQ(l2.cache.access(write, 6, l2.outcome), Stall::kNone);
  EXPECT_EQ(l2.outcome.sectors, 0u);
  EXPECT_EQ(l2.counter("requests"), 2u);
}

TEST(L2Cache, AWriteOverAFillInFlightStays) {
  L2CacheRig l2(small_l2());
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 32), Stall::kNone);
  const MshrFile::Entry entry = l2.outcome.transfer[0].mshr;
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0000, 64), Stall::kNone);
  EXPECT_EQ(l2.counter("pending_hits"), 2u);
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 64), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 1u) << "it must not overtake the first read";
  EXPECT_EQ(l2.outcome.transfers, 0u);
  l2.fill(entry);
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 64), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0200, 32), Stall::kNone);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0400, 32), Stall::kNone);
  ASSERT_EQ(l2.outcome.transfers, 1u);
  EXPECT_EQ(l2.outcome.transfer[0].bytes, 64u);
}

TEST(L2Cache, AtomicsFetchAndMakeDirty) {
  L2CacheRig l2(small_l2());
  ASSERT_EQ(l2.access(Kind::kAtomic, 0x0000, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 1u);
  l2.fill_all();
  ASSERT_EQ(l2.access(Kind::kAtomic, 0x0000, 32), Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  EXPECT_EQ(l2.counter("atomics"), 2u);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0200, 32), Stall::kNone);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0400, 32), Stall::kNone);
  ASSERT_EQ(l2.outcome.transfers, 1u);
  EXPECT_EQ(l2.outcome.transfer[0].written, 0xffffffffu);
}

TEST(L2Cache, EachShortageHasItsStall) {
  L2CacheRig l2(small_l2(32));
  ASSERT_EQ(l2.access(Kind::kRead, 0x0000, 128), Stall::kNone);
  EXPECT_EQ(l2.cache.access(l2.request(Kind::kRead, 0x0200, 64), 1, l2.outcome), Stall::kDramQueue);
  ASSERT_EQ(l2.access(Kind::kRead, 0x0200, 96), Stall::kNone);
  EXPECT_EQ(l2.access(Kind::kRead, 0x0400, 32), Stall::kReserved);
  EXPECT_EQ(l2.access(Kind::kRead, 0x0080, 64), Stall::kMshr);
  ASSERT_EQ(l2.access(Kind::kRead, 0x0080, 32), Stall::kNone);
  EXPECT_EQ(l2.access(Kind::kRead, 0x0100, 32), Stall::kMshr);
  ASSERT_EQ(l2.access(Kind::kWrite, 0x0100, 128), Stall::kNone) << "a write needs no MSHR";
}

TEST(L2Cache, ALineThatIsMissedCountsOnceUntilItsFillsHaveCome) {
  L2CacheRig l2(small_l2());
  l2.access(Kind::kRead, 0, 128);  // two fills
  const L2Cache::Outcome fills = l2.outcome;
  EXPECT_EQ(fills.transfers, 2u);
  l2.access(Kind::kRead, 32, 32);  // merges
  EXPECT_EQ(l2.counter("lines_missed"), 1u);
  l2.outcome = fills;
  l2.fill_all();
  l2.access(Kind::kRead, 0, 128);
  EXPECT_EQ(l2.counter("lines_missed"), 1u);

  l2.access(Kind::kRead, 1024, 32);  // the first half of another line
  // The second half needs a fill of its own while the first half is in flight.
  l2.access(Kind::kRead, 1088, 32);
  EXPECT_EQ(l2.counter("lines_missed"), 2u);
}

TEST(L2Cache, ALineIsMissedAgainForASectorThatItHasNot) {
  L2CacheRig l2(small_l2());
  l2.access(Kind::kRead, 0, 32);
  l2.fill_all();
  l2.access(Kind::kRead, 64, 32);
  EXPECT_EQ(l2.counter("lines_missed"), 2u);
}

TEST(L2Cache, AWriteMissesOnlyALineThatIsAbsent) {
  L2CacheRig l2(small_l2());
  l2.access(Kind::kWrite, 0, 32);
  l2.access(Kind::kWrite, 64, 32);
  EXPECT_EQ(l2.counter("lines_missed"), 1u);
  L2Cache::Access nothing = l2.request(Kind::kWrite, 1024, 32);
  nothing.written.fill(0);
  l2.cache.access(nothing, 6, l2.outcome);
  EXPECT_EQ(l2.counter("lines_missed"), 1u);
  EXPECT_EQ(l2.cache.counts(AccountId::none()).lines_missed, 1u) << "of no launch";
}

TEST(L2Cache, LaunchesSumToTheTotal) {
  L2CacheRig l2(small_l2());
  for (const AccountId account : {AccountId{0}, AccountId{1}, AccountId{70}, AccountId{}}) {
    L2Cache::Access access = l2.request(Kind::kRead, 0x0000, 64);
    access.account = account;
    ASSERT_EQ(l2.cache.access(access, 6, l2.outcome), Stall::kNone);
    l2.fill_all();
  }
  EXPECT_EQ(l2.cache.counts(AccountId{0}).misses, 2u);
  EXPECT_EQ(l2.cache.counts(AccountId{1}).hits, 2u);
  EXPECT_EQ(l2.cache.counts(AccountId{70}).hits, 2u);
  EXPECT_EQ(l2.cache.counts(AccountId{}).hits, 2u);
  EXPECT_EQ(l2.cache.counts(AccountId{5}).accesses, 0u);
  L2Counts sum;
  for (const AccountId account : {AccountId{0}, AccountId{1}, AccountId{70}, AccountId{}})
    sum += l2.cache.counts(account);
  EXPECT_EQ(sum.requests, l2.counter("requests"));
  EXPECT_EQ(sum.accesses, l2.counter("accesses"));
  EXPECT_EQ(sum.hits, l2.counter("hits"));
  EXPECT_EQ(sum.misses, l2.counter("misses"));
  l2.cache.close(AccountId{0});
  EXPECT_EQ(l2.cache.counts(AccountId{0}).misses, 0u);
  EXPECT_EQ(l2.cache.counts(AccountId{1}).hits, 2u);
}

// A reference model of lists: lines by last use, a state for each byte of a sector, and immediate fills.
struct Reference {
  struct Line {
    Address address;
    std::array<bool, 4> valid{};
    std::array<std::uint32_t, 4> written{};
    std::array<bool, 4> dirty{};
  };
  Reference(const L2Spec& cache, const TagArray& geometry) : spec(cache), tags(geometry) {}

  void access(const L2Cache::Access& access) {
    std::list<Line>& set = sets[tags.set_of(access.index)];
    const Address address = access.address / 128 * 128;
    auto line = std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.address == address; });
    if (line == set.end()) {
      if (set.size() == spec.ways) {
        for (int burst = 0; burst < 2; ++burst)
          if (set.back().dirty[burst * 2] || set.back().dirty[burst * 2 + 1]) ++write_backs;
        set.pop_back();
      }
      set.push_front({address, {}, {}, {}});
    } else {
      set.splice(set.begin(), set, line);
    }
    Line& used = set.front();
    const std::uint32_t first = access.address % 128 / 32;
    std::array<bool, 4> before = used.valid;
    for (std::uint32_t s = first; s < first + access.bytes / 32; ++s) {
      if (access.kind == Kind::kWrite) {
        ++(before[s] || used.dirty[s] ? hits : misses);
        used.dirty[s] = true;
        used.written[s] |= access.written[s];
        if (used.written[s] == ~0u) used.valid[s] = true;
        continue;
      }
      ++(before[s] ? hits : misses);
      if (access.kind == Kind::kAtomic) used.dirty[s] = true;
      if (used.valid[s]) continue;
      ++fills;
      used.valid[s] = true;
      if (spec.fill_bytes == 64) used.valid[s ^ 1] = true;
    }
  }

  L2Spec spec;
  const TagArray& tags;
  std::map<std::uint32_t, std::list<Line>> sets;
  std::uint64_t hits = 0, misses = 0, fills = 0, write_backs = 0;
};

TEST(L2Cache, RandomTrafficHitsAndMissesAsAReferenceDoes) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    Random random(seed);
    L2Spec spec = small_l2(random.below(2) == 0 ? 32 : 64);
    spec.sets = 1u << random.below(5);
    spec.ways = 1 + static_cast<std::uint32_t>(random.below(8));
    spec.hash = random.below(2) == 0;
    L2CacheRig l2(spec);
    const TagArray geometry(
        {spec.sets, spec.ways, 128, 32, spec.hash ? SetHash::kAllGroups : SetHash::kNone, spec.replacement});
    Reference reference(spec, geometry);
    const std::uint64_t lines = 1 + random.below(4 * spec.sets * spec.ways);
    for (int step = 0; step < 4000; ++step) {
      const auto first = static_cast<std::uint32_t>(random.below(4));
      const auto sectors = 1 + static_cast<std::uint32_t>(random.below(4 - first));
      const Kind kind = std::array{Kind::kRead, Kind::kRead, Kind::kWrite, Kind::kAtomic}[random.below(4)];
      L2Cache::Access access = l2.request(kind, random.below(lines) * 128 + first * 32, sectors * 32);
      if (kind == Kind::kWrite && random.below(2) == 0)
        for (std::uint32_t s = first; s < first + sectors; ++s)
          access.written[s] = random.below(2) == 0 ? 0x00ff00ffu : 0xff00ff00u;
      ASSERT_EQ(l2.cache.access(access, 6, l2.outcome), Stall::kNone);
      l2.fill_all();
      reference.access(access);
    }
    EXPECT_EQ(l2.counter("hits"), reference.hits) << seed;
    EXPECT_EQ(l2.counter("misses"), reference.misses) << seed;
    EXPECT_EQ(l2.counter("fills"), reference.fills) << seed;
    EXPECT_EQ(l2.counter("write_backs"), reference.write_backs) << seed;
    EXPECT_EQ(l2.counter("line_misses") + l2.counter("sector_misses"), l2.counter("misses"));
    EXPECT_EQ(l2.cache.mshrs().in_use(), 0u);
  }
}

TEST(L2Spec, AddressesInASliceLieSideBySide) {
  L2Spec spec;
  spec.slices_per_channel = 2;
  spec.slice_bit = 8;
  spec.slice_hash = {12};
  for (Address local = 0; local < 0x4000; local += 0x40)
    for (const std::uint32_t slice : {0u, 1u}) {
      // Exactly one address of a slice is in each place.
      std::uint32_t found = 0;
      for (Address other = 0; other < 0x8000; other += 0x40)
        found += slice_in_channel(spec, other) == slice && address_in_slice(spec, other) == local ? 1 : 0;
      EXPECT_EQ(found, 1u) << local;
    }
  EXPECT_EQ(address_in_slice(spec, 0x1ff), 0xffu);
  EXPECT_EQ(address_in_slice(spec, 0x300), 0x100u);
  spec.slices_per_channel = 1;
  EXPECT_EQ(address_in_slice(spec, 0x12345), 0x12345u);
}

TEST(L2Spec, SlicesOfAChannel) {
  L2Spec spec;
  spec.slices_per_channel = 2;
  spec.slice_bit = 8;
  EXPECT_EQ(slice_in_channel(spec, 0x0ff), 0u);
  EXPECT_EQ(slice_in_channel(spec, 0x100), 1u);
  spec.slice_hash = {12, 15};
  EXPECT_EQ(slice_in_channel(spec, 0x1100), 0u);
  EXPECT_EQ(slice_in_channel(spec, 0x9100), 1u);
  spec.slices_per_channel = 4;
  EXPECT_EQ(slice_in_channel(spec, 0x8300), 1u) << "bit 15 falls on the upper bit";
  spec.slices_per_channel = 1;
  EXPECT_EQ(slice_in_channel(spec, ~Address{0}), 0u);
}

}  // namespace
}  // namespace heddle::test
