// Cycles of a request beside those that DRAMsim3 measured with its HBM2_8Gb_x128: one channel of 128 bits
// without pseudo-channels, requests of 64 B, a command clock of 1 ns, 400,000 cycles. tests/RESULTS.md has
// the table and the reasons for the differences.

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/dram/hbm2.h"

namespace heddle::test {
namespace {

constexpr double kCycles = 400'000;

// Returns the timing of DRAMsim3's configuration, with its two cycles of a burst as the least distance of
// columns. Its DRAM has no refresh of single banks here.
DramSpec dramsim3_spec(bool refresh) {
  DramSpec spec = hbm2_spec("RRRRRRRRRRRRRRRBBGGCCCCSSSSSS");
  spec.map.burst_bytes = 64;
  DramTiming& t = spec.timing;
  t["burst"] = t["ccds"] = t["ccdl"] = t["ccdr"] = 2;
  t["cl"] = t["rcdrd"] = t["rcdwr"] = t["rp"] = 14;
  t["wl"] = 4;
  t["ras"] = 34;
  t["rc"] = 48;
  t["rrds"] = 4;
  t["rrdl"] = 6;
  t["faw"] = 30;
  t["wtrs"] = 6;
  t["wtrl"] = 8;
  t["rtw"] = 13;
  t["wr"] = 16;
  t["rtp"] = 6;
  t["refi"] = 3900;
  t["rfc"] = 260;
  spec.refresh = refresh;
  return spec;
}

constexpr Address address_of(Address row, Address bank, Address group, Address column = 0) {
  return column << 6 | group << 10 | bank << 12 | row << 14;
}

using RequestOf = std::function<DramRequest(std::uint64_t)>;

double per_request(const RequestOf& request_of, bool refresh) {
  const double about = static_cast<double>(run_channel(
                                               *make_controller(dramsim3_spec(false)),
                                               [&, i = std::uint64_t{0}](DramRequest& request) mutable {
                                                 request = request_of(i);
                                                 return i++ < 1'000;
                                               },
                                               64)
                                               .cycles) /
                       1'000;
  const auto count = static_cast<std::uint64_t>(kCycles / about);
  const ChannelRun run = run_channel(
      *make_controller(dramsim3_spec(refresh)),
      [&, i = std::uint64_t{0}](DramRequest& request) mutable {
        if (i == count) return false;
        request = request_of(i++);
        return true;
      },
      64);
  return static_cast<double>(run.cycles) / static_cast<double>(count);
}

struct Row {
  const char* what;
  double off, on;  // cycles of a request in DRAMsim3, without and with refresh
  double least;    // difference of ours with refresh, as a share of DRAMsim3's
  RequestOf request_of;
};

std::vector<Row> rows() {
  const auto read = [](Address address) { return DramRequest{address, false, 0}; };
  const auto random = [](std::uint64_t writes) {
    return [random = Random(9), writes](std::uint64_t) mutable {
      const Address address =
          address_of(random.below(1 << 15), random.below(4), random.below(4), random.below(16));
      return DramRequest{address, random.below(3) < writes, 0};
    };
  };
  return {
      {"sequential", 2.000, 2.175, -0.01, [=](std::uint64_t i) { return read(i * 64); }},
      {"four groups in turn", 2.000, 2.162, -0.01,
       [=](std::uint64_t i) { return read(address_of(0, 0, i % 4, i / 4 % 16)); }},
      {"one bank", 48.00, 51.63, -0.01, [=](std::uint64_t i) { return read(address_of(i, 0, 0)); }},
      {"sixteen banks in turn", 7.50, 8.50, -0.05,
       [=](std::uint64_t i) { return read(address_of(i / 16, i / 4 % 4, i % 4)); }},
      {"two columns an activate", 3.75, 4.08, -0.01,
       [=](std::uint64_t i) { return read(address_of(i / 32, i / 8 % 4, i / 2 % 4, i % 2)); }},
      {"random", 7.50, 8.14, -0.01, random(0)},
      {"random, a third writes", 7.51, 8.18, -0.01, random(1)},
  };
}

TEST(Dramsim3Hbm2, WithoutRefreshTheCyclesAreTheSame) {
  for (const Row& row : rows())
    EXPECT_NEAR(per_request(row.request_of, false), row.off, 0.002 * row.off) << row.what;
}

TEST(Dramsim3Hbm2, ARefreshCostsNoMoreAndLittleLess) {
  for (const Row& row : rows()) {
    const double difference = per_request(row.request_of, true) / row.on - 1;
    EXPECT_LE(difference, 0.002) << row.what;
    EXPECT_GE(difference, row.least) << row.what;
  }
}

}  // namespace
}  // namespace heddle::test
