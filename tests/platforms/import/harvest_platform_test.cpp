#include "platforms/import/harvest_platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"

namespace heddle::imported {
namespace {

using testing::HasSubstr;
using testing::Not;

HarvestRow row(const std::string& what, const HarvestParameters& parameters, double value) {
  return {what, parameters, value, "", 1, value, value};
}

// Returns a card with the SMs, the clock and the memory of a T4.
Harvest card() {
  Harvest harvest;
  HarvestCard& of = harvest.card;
  of.name = "my \"card\"";
  of.compute_capability = 7.5;
  of.sms = 40;
  of.core_clock_mhz = 1590;
  of.memory_clock_mhz = 5000;
  of.memory_bus_bits = 256;
  of.memory_mib = 15109;
  of.l2_kib = 4096;
  of.threads_per_sm = 1024;
  of.registers_per_sm = 65536;
  of.shared_kib_per_sm = 64;
  of.driver = of.runtime = "12.4";
  of.date = "today";
  harvest.rows.push_back(row("latency", {{"memory", "global"}, {"footprint", "1048576"}}, 120));
  return harvest;
}

std::string text_of(const Harvest& harvest, const std::string& base = "t4") {
  return import_platform(harvest, {"mine", base}).text;
}

HarvestCard card_with(double compute_capability, double sms, double memory_gib) {
  HarvestCard made;
  made.compute_capability = compute_capability;
  made.sms = sms;
  made.memory_mib = 1024 * memory_gib;
  return made;
}

TEST(HarvestPlatform, TakesTheBaseOfTheNearestComputeCapabilityThenOfSmsAndMemory) {
  EXPECT_EQ(default_base(card_with(7.5, 68, 11)), "t4");
  EXPECT_EQ(default_base(card_with(8.0, 108, 40)), "a100-40");
  EXPECT_EQ(default_base(card_with(8.0, 108, 80)), "a100-80");
  EXPECT_EQ(default_base(card_with(9.0, 114, 80)), "h100-pcie");
  EXPECT_EQ(default_base(card_with(9.0, 132, 80)), "h100-sxm");
  EXPECT_EQ(default_base(card_with(12.0, 148, 180)), "h200");
  EXPECT_EQ(default_base(card_with(3.5, 13, 5)), "k20");
  EXPECT_THROW(default_base(card_with(1.3, 30, 1)), config::Error);
}

TEST(HarvestPlatform, NeedsABaseWithCycleSms) {
  EXPECT_THROW(text_of(card(), "k20-cusched"), config::Error);
  EXPECT_THROW(text_of(card(), "k2000"), config::Error);
}

TEST(HarvestPlatform, StatesWhereEachNumberComesFrom) {
  Harvest harvest = card();
  harvest.rows.push_back(row("clock", {{"domain", "core"}}, 1500));
  const std::string text = text_of(harvest);
  EXPECT_THAT(text, HasSubstr("description: \"my \\\"card\\\", 40 SMs"));
  EXPECT_THAT(text,
              HasSubstr("  core: 1500MHz                      # measured on my \"card\": while all SMs are"));
  EXPECT_THAT(text, HasSubstr("  l2: 1500MHz                        # guess: as the core"));
  EXPECT_THAT(text, HasSubstr("  count: 40                          # as the driver of my \"card\" tells"));
  EXPECT_THAT(text_of(card()), HasSubstr("  core: 1590MHz                      # as the driver of"));
}

// The memory of a T4 is that of the base: 320 GB/s over 8 channels. An H200 has 4.8 TB/s.
TEST(HarvestPlatform, HasAsManyChannelsAsTheBandwidthNeeds) {
  EXPECT_THAT(text_of(card()), HasSubstr("  channels: 8 "));
  EXPECT_THAT(text_of(card()), HasSubstr("  dram: 2500MHz "));
  Harvest large = card();
  large.card.memory_clock_mhz = 3201;
  large.card.memory_bus_bits = 6144;
  large.card.memory_mib = 143771;
  large.card.l2_kib = 51200;
  const std::string text = text_of(large, "rtx3080");
  EXPECT_THAT(text, HasSubstr("  channels: 65 "));      // of 76 GB/s
  EXPECT_THAT(text, HasSubstr("  dram: 4727.63MHz "));  // 65 channels of 16 B a clock: 4.917 TB/s
  EXPECT_THAT(text, HasSubstr("  ways: 25 "));          // of 260 slices with 64 sets
}

// A base whose channels are hashed says with which bits. 66 channels need seven bits behind the eight of 256
// bytes.
TEST(HarvestPlatform, HashesAsManyBitsAsItsChannelsNeed) {
  Harvest large = card();
  EXPECT_THAT(text_of(large), Not(HasSubstr("channel_hash")));
  large.card.memory_clock_mhz = 2619;
  large.card.memory_bus_bits = 5120;
  large.card.memory_mib = 81079;
  const std::string text = text_of(large, "h100-pcie");
  EXPECT_THAT(text, HasSubstr("  channels: 66 "));
  EXPECT_THAT(text, HasSubstr("  channel_hash: [[15, 22, 29], [16, 23, 30], "));
  EXPECT_THAT(text, HasSubstr("[21, 28, 35]] "));
}

// Shared memory is a part of L1's memory on an H100, and the card's may be larger or smaller.
TEST(HarvestPlatform, HasTheCarveOutsThatFitTheCard) {
  Harvest other = card();
  for (const auto& [footprint, ns] : {std::pair{"4096", 20.0}, {"131072", 110.0}})
    other.rows.push_back(row("latency", {{"memory", "global"}, {"footprint", footprint}}, ns));
  const std::string smaller = text_of(other, "h100-pcie");
  EXPECT_THAT(smaller, HasSubstr("  carve_outs: [0B, 8192B, 16384B, 32768B, 65536B] "));
  EXPECT_THAT(smaller, HasSubstr("    size: 128KiB "));
  other.card.shared_kib_per_sm = 228;
  const std::string same = text_of(other, "h100-pcie");
  EXPECT_THAT(same, Not(HasSubstr("carve_outs")));
  EXPECT_THAT(same, Not(HasSubstr("    size:")));
  EXPECT_THAT(text_of(other, "a100-40"), HasSubstr("    size: 256KiB "));
}

TEST(HarvestPlatform, FindsL1WhereSmallFootprintsAreFaster) {
  Harvest harvest = card();
  EXPECT_THAT(text_of(harvest), HasSubstr("l1: {global: off}"));
  for (const auto& [footprint, ns] : {std::pair{"4096", 20.0}, {"65536", 22.0}, {"131072", 110.0}})
    harvest.rows.push_back(row("latency", {{"memory", "global"}, {"footprint", footprint}}, ns));
  const std::string text = text_of(harvest);
  EXPECT_THAT(text, HasSubstr("    size: 65536B "));
  EXPECT_THAT(text, HasSubstr("    ways: 128 "));
  EXPECT_THAT(text, HasSubstr("    latency: 14cycles "));  // 31.8 cycles, less 14 and an addition of 4
}

TEST(HarvestPlatform, LeavesToTheBaseWhatWasNotMeasured) {
  Harvest harvest = card();
  harvest.card.memory_clock_mhz = 0;
  harvest.rows = {row("latency", {{"memory", "shared"}}, 17)};
  const PlatformImport made = import_platform(harvest, {"mine", "t4"});
  EXPECT_THAT(made.text, Not(HasSubstr("channels:")));
  EXPECT_THAT(made.text, Not(HasSubstr("engine:")));
  EXPECT_THAT(made.text, Not(HasSubstr("hit_latency:")));
  EXPECT_THAT(made.notes, testing::Contains("the latency of DRAM was not measured: it is that of t4"));
  EXPECT_THAT(made.notes,
              testing::Contains("the latencies of L1 and L2 were not measured: they are those of t4"));
}

// Behind the end of a kernel an H100 SXM waits 1,020 cycles, and a block 400 before it issues.
TEST(HarvestPlatform, TakesFromTheTimeOfAnEmptyKernelWhatTheBaseHasBesideItsLaunch) {
  Harvest harvest = card();
  harvest.card.core_clock_mhz = 1000;
  harvest.rows.push_back(row("launch", {{"part", "queued"}}, 2.92));
  EXPECT_THAT(text_of(harvest, "h100-sxm"), HasSubstr("  kernel_launch_latency: 1000cycles "));
  EXPECT_THAT(text_of(harvest, "h100-sxm"), HasSubstr("  sm_setup_latency: 500cycles "));
  EXPECT_THAT(text_of(harvest), HasSubstr("  kernel_launch_latency: 1947cycles "));
}

TEST(HarvestPlatform, StatesTimeSlicesForAnExperiment) {
  Harvest harvest = card();
  harvest.rows.push_back(row("time_slice", {{"part", "run"}}, 2000));
  harvest.rows.push_back(row("time_slice", {{"part", "gap"}}, 2300));
  EXPECT_THAT(text_of(harvest), HasSubstr("{name: time-slice, quantum: 2ms, switch_cost: 150us}"));
}

}  // namespace
}  // namespace heddle::imported
