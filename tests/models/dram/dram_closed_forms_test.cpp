// The cycles that a GDDR5 channel with the timing of the GTX 480 must take, in command clocks, derived from
// the timing parameters alone.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/dram/gddr5.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kRequests = 100'000;
constexpr std::size_t kDeep = 64;  // reads outstanding
// The distance between neighbouring rows of a bank, in either address map.
constexpr Address kRow = 1u << 16;

template <class AddressOf>
std::uint64_t cycles_of(const DramSpec& spec, AddressOf address, const char* scheduler = "fr-fcfs",
                        std::uint64_t count = kRequests) {
  return run_channel(*make_controller(spec, {scheduler, {}}), reads(count, address), kDeep).cycles;
}

double peak_fraction(std::uint64_t cycles, std::uint64_t requests = kRequests) {
  return 2.0 * static_cast<double>(requests) / static_cast<double>(cycles);
}

TEST(DramClosedForms, OneBankWithANewRowEachTimeTakesTheRowCycle) {
  const std::uint64_t cycles = cycles_of(gddr5_spec(), [](std::uint64_t i) { return i % 16384 * kRow; });
  EXPECT_GE(cycles, 3'999'986u);
  EXPECT_LE(cycles, 3'999'988u);
}

TEST(DramClosedForms, ASequentialStreamOverTwoGroupsFillsTheBus) {
  const std::uint64_t cycles = cycles_of(gddr5_spec(), [](std::uint64_t i) { return i * 64; });
  EXPECT_GE(cycles, 200'028u);
  EXPECT_LE(cycles, 200'030u);
}

TEST(DramClosedForms, AStrideOfOneRowTakesSixAndAHalf) {
  const std::uint64_t cycles =
      cycles_of(gddr5_spec(kRowBankGroupColumn), [](std::uint64_t i) { return i * 4096 % (1u << 30); });
  EXPECT_GE(cycles, 650'019u);
  EXPECT_LE(cycles, 650'021u);
}

TEST(DramClosedForms, AStreamInsideOneGroupTakesTheLongColumnDistance) {
  const auto inside = [](std::uint64_t i) {
    const std::uint64_t row = i / 64;  // four banks of group 0, then their next row
    return (row / 4 * 16 + row % 4) * 4096 + i % 64 * 64;
  };
  const std::uint64_t cycles = cycles_of(gddr5_spec(kGroupAboveBank), inside);
  EXPECT_EQ(cycles, 1 + 3 * kRequests + 23);  // acceptance, tRCD + CL + burst - tCCDL
}

TEST(DramClosedForms, RandomReadsReachLessThanAThirdOfThePeak) {
  for (const char* map : {kGtx480Map, kRowBankGroupColumn, kGroupAboveBank}) {
    Random random(3);
    const std::uint64_t cycles =
        cycles_of(gddr5_spec(map), [&random](std::uint64_t) { return random.below(1u << 24) * 64; });
    EXPECT_GE(peak_fraction(cycles), 1 / 3.33) << map;
    EXPECT_LE(peak_fraction(cycles), 1 / 3.0) << map;
  }
}

// Returns the address of read i, which takes turns among four sequential streams in four rows of the same
// banks.
Address four_streams(std::uint64_t i) {
  const std::uint64_t step = i / 4;
  return (step / 1024 * 4 + i % 4) * kRow + step % 1024 * 64;
}

// A scheduler that closes a row for the oldest request of the bank although others wait for that row.
class FirstReady final : public DramScheduler {
 public:
  bool keep_row(const OpenRowView&) override { return false; }
  std::size_t choose(const CommandSlotView& slot) override { return first_ready(slot); }
};

TEST(DramClosedForms, FourStreamsAtTheSameBanksKeepTheirRowsOpen) {
  const double protecting = peak_fraction(cycles_of(gddr5_spec(), four_streams));
  EXPECT_NEAR(protecting, 0.81, 0.01);
  const auto unprotected = std::make_unique<DramChannel>("dram", gddr5_spec(), [](const std::string&) {
    return DramPolicies{std::make_unique<FirstReady>(), PolicyRegistry<PagePolicy>::make({"open", {}})};
  });
  EXPECT_LT(peak_fraction(run_channel(*unprotected, reads(kRequests, four_streams), kDeep).cycles), 0.5);
  EXPECT_LT(peak_fraction(cycles_of(gddr5_spec(), four_streams, "fcfs")), 0.1);
}

// Returns the cycles for reads without load. Each read is sent long after the previous one.
std::uint64_t unloaded(const std::vector<Address>& addresses) {
  const auto controller = make_controller(gddr5_spec());
  Cycle now{0};
  std::uint64_t latency = 0;
  for (const Address address : addresses) {
    now = now + 1000;
    controller->accept({address, false, 0}, now);
    for (Cycle at = now; !controller->idle(); at = controller->next_wake())
      if (const auto done = controller->tick(at)) latency = done->last_beat - now;
  }
  return latency;
}

TEST(DramClosedForms, AnUnloadedReadTakesWhatItsRowNeeds) {
  EXPECT_EQ(unloaded({0x40}), 26u);
  EXPECT_EQ(unloaded({0x40, 0x80}), 14u);
  EXPECT_EQ(unloaded({0x40, 0x40 + kRow}), 38u);
}

class Commands final : public DramObserver {
 public:
  struct Issued {
    Cycle at;
    DramCommand command;
  };
  void command(Cycle now, DramCommand command, std::uint32_t, std::uint32_t, std::uint32_t) override {
    issued.push_back({now, command});
  }
  std::vector<Issued> issued;
};

TEST(DramClosedForms, ARefreshTakesRasRpAndRfcFromActivateToActivate) {
  const auto controller = make_controller(gddr5_spec(kRowBankGroupColumn, true));
  Commands commands;
  controller->observe(commands);
  run_channel(*controller, reads(10'000, [](std::uint64_t i) { return i * 4096; }), kDeep);
  Cycle last{0};
  bool refreshed = false;
  std::uint64_t refreshes = 0;
  for (const auto& issued : commands.issued) {
    if (issued.command == DramCommand::kRefresh) {
      refreshed = true;
      ++refreshes;
    }
    if (issued.command != DramCommand::kActivate) continue;
    if (refreshed) {
      EXPECT_EQ(issued.at - last, 28 + 12 + 61) << issued.at.value;
    }
    refreshed = false;
    last = issued.at;
  }
  EXPECT_EQ(refreshes, 18u);
}

// No two of the requests meet in an open row, but for a few of them. A row that a switch between reads and
// writes finds opened and not used is kept for its request.
TEST(DramClosedForms, RandomReadsAndWritesActivateOnceForEachRequest) {
  const auto controller = make_controller(gddr5_spec());
  Commands commands;
  controller->observe(commands);
  Random random(7);
  std::uint64_t left = 20'000;
  const NextRequest mixed = [&](DramRequest& request) {
    request = {random.below(1u << 24) * 64, random.below(10) >= 7, 0};
    return left-- > 0;
  };
  run_channel(*controller, mixed, kDeep);
  const auto activates =
      std::count_if(commands.issued.begin(), commands.issued.end(),
                    [](const auto& issued) { return issued.command == DramCommand::kActivate; });
  EXPECT_LE(activates, 20'000);
  EXPECT_GE(activates, 19'900);
}

TEST(DramClosedForms, RefreshCostsItsShareOfTheTime) {
  const auto stride = [](std::uint64_t i) { return i * 4096 % (1u << 30); };
  const std::uint64_t without = cycles_of(gddr5_spec(kRowBankGroupColumn), stride);
  const std::uint64_t with = cycles_of(gddr5_spec(kRowBankGroupColumn, true), stride);
  const std::uint64_t refreshes = with / 3604;
  EXPECT_NEAR(static_cast<double>(with - without) / static_cast<double>(refreshes), 94.5, 0.5);
}

}  // namespace
}  // namespace heddle::test
