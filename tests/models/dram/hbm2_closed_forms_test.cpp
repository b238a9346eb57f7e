// The cycles that an HBM2 channel must take, in command clocks, derived from the timing parameters alone:
// those of the V100's memory, of which a pseudo-channel has 16 banks in 4 groups.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/dram/hbm2.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kRequests = 100'000;
constexpr std::size_t kDeep = 256;  // reads outstanding
constexpr Address kRows = 1 << 14;

// In command clocks.
constexpr std::uint64_t kCl = 15, kBurst = 2, kRcdrd = 11, kRp = 13, kRc = 38, kCcdl = 3, kRrds = 4, kRtp = 5;
constexpr std::uint64_t kAcceptance = 1;
constexpr std::uint64_t kFirst = kAcceptance + kRcdrd + kCl + kBurst;  // until the first request has its data

template <class PlaceOf>
std::uint64_t cycles_of(const DramSpec& spec, PlaceOf place, std::uint64_t count = kRequests,
                        const char* page = "open") {
  const auto address = [&](std::uint64_t i) {
    const Hbm2Place at = place(i);
    return spec.map.stack_ids == 1 ? at.in_one_stack() : at.in_two_stacks();
  };
  return run_channel(*make_controller(spec, {"fr-fcfs", {}}, page), reads(count, address), kDeep).cycles;
}

template <class PlaceOf>
double per_request(const DramSpec& spec, PlaceOf place, std::uint64_t count = kRequests,
                   const char* page = "open") {
  return static_cast<double>(cycles_of(spec, place, count, page)) / static_cast<double>(count);
}

TEST(Hbm2ClosedForms, HitsInOneGroupTakeTheLongColumnDistance) {
  EXPECT_EQ(cycles_of(hbm2_spec(),
                      [](std::uint64_t i) {
                        return Hbm2Place{0, 0, 0, i % 32};
                      }),
            kFirst + (kRequests - 1) * kCcdl);
}

TEST(Hbm2ClosedForms, HitsOverTheGroupsFillTheDataBus) {
  const std::uint64_t cycles = cycles_of(hbm2_spec(), [](std::uint64_t i) {
    return Hbm2Place{0, 0, i % 4, i / 4 % 32};
  });
  EXPECT_GE(cycles, kFirst + (kRequests - 1) * kBurst);
  EXPECT_LE(cycles, kFirst + (kRequests - 1) * kBurst + 3 * kCcdl)
      << "the first rows open one after the other";
}

TEST(Hbm2ClosedForms, BothPseudoChannelsFillTheirDataBuses) {
  const std::uint64_t cycles = cycles_of(hbm2_spec(), [](std::uint64_t i) {
    return Hbm2Place{0, 0, i / 2 % 4, i / 8 % 32, i % 2};
  });
  EXPECT_GE(cycles, kFirst + kRequests - 2);
  EXPECT_LE(cycles, kFirst + kRequests + 4 * kCcdl);
}

TEST(Hbm2ClosedForms, OneBankWithANewRowEachTimeTakesTheRowCycle) {
  EXPECT_EQ(cycles_of(hbm2_spec(), [](std::uint64_t i) { return Hbm2Place{i % kRows}; }),
            kFirst + (kRequests - 1) * kRc);
  DramSpec longer = hbm2_spec();
  longer.timing["rc"] = 45;
  EXPECT_EQ(cycles_of(longer, [](std::uint64_t i) { return Hbm2Place{i % kRows}; }),
            kFirst + (kRequests - 1) * 45);
}

TEST(Hbm2ClosedForms, HitsInARowOfOneBankKeepItOpenLonger) {
  for (const std::uint64_t hits : {1, 2, 4, 5, 8, 16, 32}) {
    const std::uint64_t row = std::max(kRc, kRcdrd + (hits - 1) * kCcdl + kRtp + kRp);
    const std::uint64_t rows = 2'000;
    const std::uint64_t cycles = cycles_of(
        hbm2_spec(),
        [hits](std::uint64_t i) {
          return Hbm2Place{i / hits % kRows, 0, 0, i % hits};
        },
        rows * hits);
    EXPECT_EQ(cycles, kFirst + (rows - 1) * row + (hits - 1) * kCcdl) << hits;
  }
}

// A new row for each request, over so many banks in turn: activates are limited by tRRDS, by tFAW, or by the
// row cycle of the banks. A precharge may wait for the second clock of another bank's ACT, which makes the
// row cycle one clock longer.
TEST(Hbm2ClosedForms, NewRowsOverBanksTakeTheSlowestOfTheActivateRules) {
  for (const std::uint64_t faw : {16, 20, 30})
    for (const std::uint64_t banks : {2, 4, 8, 16}) {
      DramSpec spec = hbm2_spec();
      spec.timing["faw"] = static_cast<std::uint32_t>(faw);
      const double expected = std::max({2.0, double{kRrds}, static_cast<double>(faw) / 4,
                                        static_cast<double>(kRc) / static_cast<double>(banks)});
      const auto in_turn = [banks](std::uint64_t i) {
        const std::uint64_t bank = i % banks;
        return Hbm2Place{i / banks % kRows, bank / 4, bank % 4};
      };
      const double reached = per_request(spec, in_turn);
      EXPECT_GE(reached, 0.999 * expected) << faw << ", " << banks << " banks";
      const double waits = static_cast<double>(kRc + 1) / static_cast<double>(banks);
      EXPECT_LE(reached, 1.001 * std::max(expected, waits)) << faw << ", " << banks << " banks";
    }
}

TEST(Hbm2ClosedForms, RandomReadsOfAPseudoChannelTakeTheActivateDistance) {
  Random random(3);
  const auto anywhere = [&random](std::uint64_t) {
    return Hbm2Place{random.below(kRows), random.below(4), random.below(4)};
  };
  EXPECT_NEAR(per_request(hbm2_spec(), anywhere), 4, 0.02 * 4);
}

// Each request needs an ACT, two clocks of the row bus, and a PRE, one clock. With automatic precharge, the
// reads carry the latter.
TEST(Hbm2ClosedForms, RandomReadsOfBothPseudoChannelsTakeTheRowBus) {
  Random random(3);
  const auto anywhere = [&random](std::uint64_t) {
    return Hbm2Place{random.below(kRows), random.below(4), random.below(4), 0, random.below(2)};
  };
  EXPECT_NEAR(per_request(hbm2_spec(), anywhere), 3, 0.02 * 3);
  EXPECT_NEAR(per_request(hbm2_spec(), anywhere, kRequests, "closed"), 2, 0.06 * 2);
}

// Several requests for each row that is opened. The first limit is the data bus, the others are the activates
// of a pseudo-channel, and the row bus of the channel.
TEST(Hbm2ClosedForms, RequestsOfOneActivateShareItsCost) {
  for (const std::uint64_t hits : {1, 2, 3, 4, 8}) {
    const auto place = [hits](std::uint64_t i, std::uint64_t pseudo_channels) {
      const std::uint64_t part = i % pseudo_channels;
      const std::uint64_t request = i / pseudo_channels;
      const std::uint64_t row = request / hits;
      return Hbm2Place{row / 16 % kRows, row / 4 % 4, row % 4, request % hits, part};
    };
    const auto n = static_cast<double>(hits);
    const double alone = std::max({2 * n, double{kRrds}, 16.0 / 4, 3.0});
    EXPECT_NEAR(per_request(hbm2_spec(), [&](std::uint64_t i) { return place(i, 1); }) * n, alone,
                0.02 * alone)
        << hits;
    const double both = std::max({n, kRrds / 2.0, 16.0 / 8, 3.0});  // in a channel
    EXPECT_NEAR(per_request(hbm2_spec(), [&](std::uint64_t i) { return place(i, 2); }) * n, both, 0.02 * both)
        << hits;
  }
}

TEST(Hbm2ClosedForms, ReadsOfDifferentStackIdsTakeTheirOwnColumnDistance) {
  const auto in_turn = [](std::uint64_t i) { return Hbm2Place{0, 0, i / 2 % 4, i / 8 % 32, 0, i % 2}; };
  const auto one_stack = [](std::uint64_t i) { return Hbm2Place{0, 0, i % 4, i / 4 % 32}; };
  DramSpec spec = hbm2_two_stacks_spec();
  spec.queue = 1;  // requests are served in the order of their arrival
  spec.write_high = 1;
  spec.write_low = 0;
  EXPECT_NEAR(per_request(spec, in_turn), 5, 0.001) << "ccdr";
  EXPECT_NEAR(per_request(spec, one_stack), 2, 0.001) << "ccds";
  const auto channel = make_controller(spec);
  run_channel(*channel, reads(1000, [&](std::uint64_t i) { return in_turn(i).in_two_stacks(); }), kDeep);
  EXPECT_NEAR(static_cast<double>(channel->part(0).stats().data_bus().lost(DataBusAccount::kGroup)), 3'000,
              60);
}

// Returns the cycles of the last read. Each read is sent long after the previous one.
std::uint64_t unloaded(const std::vector<Hbm2Place>& places) {
  const auto channel = make_controller(hbm2_spec());
  Cycle now{0};
  std::uint64_t latency = 0;
  for (const Hbm2Place& place : places) {
    now = now + 1000;
    channel->accept({place.in_one_stack(), false, 0}, now);
    for (Cycle at = now; !channel->idle(); at = channel->next_wake())
      if (const auto done = channel->tick(at)) latency = done->last_beat - now;
  }
  return latency;
}

TEST(Hbm2ClosedForms, AnUnloadedReadTakesWhatItsRowNeeds) {
  EXPECT_EQ(unloaded({{0}}), kRcdrd + kCl + kBurst);
  EXPECT_EQ(unloaded({{0}, {0, 0, 0, 1}}), kCl + kBurst);
  EXPECT_EQ(unloaded({{0}, {1}}), kRp + kRcdrd + kCl + kBurst);
  EXPECT_EQ(unloaded({{0}, {0, 0, 0, 0, 1}}), kRcdrd + kCl + kBurst) << "the other pseudo-channel";
}

// The share of time that refreshes take from a stream of hits that fills the data bus.
double refresh_share(bool by_bank) {
  DramSpec spec = hbm2_spec();
  const auto stream = [](std::uint64_t i) {
    return Hbm2Place{i / 512 % kRows, i / 128 % 4, i % 4, i / 4 % 32};
  };
  const double without = per_request(spec, stream, 400'000);
  spec.refresh = true;
  spec.refresh_by_bank = by_bank;
  return 1 - without / per_request(spec, stream, 400'000);
}

// A refresh of all banks takes tRFC, and the time from the last data to the precharge and from the activate
// to the first data: nearly tRP + tRCDRD + CL.
TEST(Hbm2ClosedForms, ARefreshOfAllBanksTakesItsTimeFromEveryRequest) {
  const double least = 229.0 / 3420;
  EXPECT_GE(refresh_share(false), least);
  EXPECT_NEAR(refresh_share(false), (229.0 + kRp + kRcdrd + kCl) / 3420, 0.006);
}

// While one bank is refreshed, the requests of the others go on. The stream stops at a bank only if it comes
// there during its refresh.
TEST(Hbm2ClosedForms, ARefreshBankByBankTakesLessThanHalfOfThat) {
  EXPECT_GE(refresh_share(true), 0);
  EXPECT_LE(refresh_share(true), refresh_share(false) / 2);
}

// A stream in one bank has to wait for each refresh of this bank. The refreshes of the 15 others delay an
// activate by less than tRREFD if they are issued that short before it. A row may be closed before its
// request was served.
TEST(Hbm2ClosedForms, ABankIsOutForItsRefresh) {
  DramSpec spec = hbm2_spec();
  const auto one_bank = [](std::uint64_t i) { return Hbm2Place{i % kRows}; };
  const std::uint64_t without = cycles_of(spec, one_bank);
  spec.refresh = spec.refresh_by_bank = true;
  const std::uint64_t with = cycles_of(spec, one_bank);
  const double refreshes = static_cast<double>(with) / (213 * 16);
  const double each = static_cast<double>(with - without) / refreshes;
  EXPECT_GE(each, 141);
  EXPECT_LE(each, 141 + kRc + 15 * 8 * 8.0 / kRc);
}

}  // namespace
}  // namespace heddle::test
