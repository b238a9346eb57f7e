// What a measured time says about blocks, in closed form: on the SMs on which it was measured, on others, and
// beside measurements of both.

#include "stimuli/application/measured_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/gpu/instance_spec.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

ApiKernel kernel_on(const MeasuredKernel& measured, const GpuSpec& card, const GpuSpec& runs_on) {
  const MeasuredBlocks blocks = blocks_of(measured, card, runs_on);
  EXPECT_THAT(blocks.problem, IsEmpty());
  ApiKernel kernel;
  kernel.shape = measured.shape;
  kernel.blocks = measured.blocks;
  kernel.block_cycles = blocks.block.block_cycles;
  kernel.dram_sectors = blocks.block.dram_sectors;
  kernel.l2_sectors = blocks.block.l2_sectors;
  kernel.port_load = blocks.block.port_load;
  return kernel;
}

// Returns the time of the kernel alone on a GPU, in us.
double time_on(const MeasuredKernel& measured, const GpuSpec& card, const GpuSpec& runs_on) {
  return cycles_alone(kernel_on(measured, card, runs_on), runs_on) / runs_on.core_hz * 1e6;
}

GpuSpec with_sms(const GpuSpec& gpu, std::uint32_t sms) {
  GpuSpec spec = gpu;
  spec.sm.count = sms;
  return spec;
}

std::uint64_t us(double time) {
  return static_cast<std::uint64_t>(std::llround(time * 1e6));
}

// STREAM's copy over 2^27 doubles: 2 GiB.
constexpr std::uint32_t kSectors = (96 << 10) / 32;
MeasuredKernel stream(double time_us, std::uint32_t sms) {
  return {{192, 16, 0}, 21845, us(time_us), sms, {kSectors, kSectors}};
}

struct Part {
  const char* name;
  std::uint32_t sms;
  std::uint32_t memory_slices;  // of 8
  double copy_us;               // the median over 1000 runs, by spcl/gpuless-thesis
};
constexpr Part kParts[] = {{"whole", 108, 8, 1551}, {"1g", 14, 1, 12327}, {"2g", 28, 2, 6183},
                           {"3g", 42, 4, 3148},     {"4g", 56, 4, 3098},  {"7g", 98, 8, 1558},
                           {"1c", 14, 8, 4933},     {"3c", 42, 8, 1802}};

GpuSpec part_of(const GpuSpec& a100, const Part& part) {
  return part.memory_slices == 8 ? with_sms(a100, part.sms)
                                 : spec_of(a100, {part.sms, part.memory_slices, 7, {0}});
}

TEST(MeasuredKernel, StreamOfTheWholeCardLiesWithinATenthOfItsMeasurementsOnEveryPartOfAnA100) {
  const GpuSpec a100 = load_platform("a100-timed");
  for (const Part& part : kParts)
    EXPECT_NEAR(time_on(stream(1551, 0), a100, part_of(a100, part)) / part.copy_us, 1, 0.1) << part.name;
}

TEST(MeasuredKernel, StreamOfFourteenSmsLiesWithinATenthOfItsMeasurementsOnEveryPartOfAnA100) {
  const GpuSpec a100 = load_platform("a100-timed");
  for (const Part& part : kParts)
    EXPECT_NEAR(time_on(stream(4933, 14), a100, part_of(a100, part)) / part.copy_us, 1, 0.1) << part.name;
}

TEST(MeasuredKernel, ReadsOnSetsOfSmsOfAnA6000LieWithinATenthOfTheirMeasurements) {
  const GpuSpec a6000 = load_platform("a6000-timed");
  const double gib = 4.0 * (1 << 30);
  const std::uint32_t sectors = (256 << 10) / 32;
  const MeasuredKernel read{{256, 32, 0}, 16384, us(gib / 337.174e9 * 1e6), 0, {sectors, sectors}};
  const std::pair<std::uint32_t, double> measured[] = {
      {8, 157.090},  {16, 323.985}, {24, 335.115}, {32, 339.653}, {40, 340.668}, {48, 340.801},
      {56, 340.491}, {64, 339.972}, {72, 338.523}, {80, 337.510}, {84, 337.174}};
  for (const auto& [sms, rate] : measured)
    EXPECT_NEAR(gib / (time_on(read, a6000, with_sms(a6000, sms)) * 1e3) / rate, 1, 0.1) << sms;
}

// Whatever the blocks, the bytes and the rest of the last wave.
TEST(MeasuredKernel, AloneOnItsOwnSmsItTakesItsMeasuredTime) {
  const GpuSpec a100 = load_platform("a100-timed");
  for (const std::uint32_t sms : {14u, 42u, 108u})
    for (const std::uint64_t blocks : {1u, 13u, 108u, 1080u, 1081u, 2000u, 21845u})
      for (const double use : {0.0, 0.3, 0.7, 0.89, 0.91, 1.0, 1.1})
        for (const double time_us : {20.0, 400.0, 5000.0}) {
          const double bytes = use * 1385e9 * time_us * 1e-6 / static_cast<double>(blocks);
          const auto sectors = static_cast<std::uint32_t>(bytes / 32);
          if (use > 0 && sectors < 1000) continue;  // bytes are whole sectors
          const MeasuredKernel kernel{{192, 16, 0}, blocks, us(time_us), sms, {sectors, 0}};
          GpuSpec card = with_sms(a100, sms);
          card.bandwidth = a100.bandwidth;
          EXPECT_NEAR(time_on(kernel, a100, card) / time_us, 1, 0.005)
              << sms << " SMs, " << blocks << " blocks, " << use << ", " << time_us << " us";
        }
}

TEST(MeasuredKernel, OneThatItsOwnBlocksDecideKeepsTheirResidenceOnFewerSms) {
  const GpuSpec a100 = load_platform("a100-timed");
  const MeasuredKernel kernel{{192, 16, 0}, 1080, us(1000), 0, {100, 100}};
  EXPECT_EQ(blocks_of(kernel, a100, a100).bound, TimeBound::kBlocks);
  const double wave =
      1000 - static_cast<double>(a100.engine.kernel_launch_latency + a100.engine.set_up_cycles()) /
                 a100.core_hz * 1e6;
  EXPECT_NEAR(time_on(kernel, a100, with_sms(a100, 54)), 1000 + wave, 1);
}

TEST(MeasuredKernel, BytesOverItsTimeAboveThePeakAreAProblem) {
  const GpuSpec a100 = load_platform("a100-timed");
  EXPECT_THAT(blocks_of(stream(1551, 0), a100, a100).problem, IsEmpty());
  EXPECT_THAT(blocks_of(stream(1385, 0), a100, a100).problem, IsEmpty());  // 1551 of 1555.2 GB/s
  EXPECT_THAT(
      blocks_of(stream(659, 0), a100, a100).problem,
      HasSubstr(
          "its blocks move 3258.7 GB/s to and from DRAM in its time, and 'a100-timed' has 1555.2 GB/s"));
  MeasuredKernel cached = stream(1551, 0);
  cached.bytes = {0, 6 * kSectors};
  EXPECT_THAT(blocks_of(cached, a100, a100).problem, HasSubstr("GB/s to and from L2 in its time"));
}

TEST(MeasuredKernel, OneThatIsBoundByBandwidthFollowsThatOfAnotherCard) {
  const GpuSpec a100 = load_platform("a100-timed");
  const GpuSpec a6000 = load_platform("a6000-timed");
  EXPECT_EQ(blocks_of(stream(1551, 0), a100, a6000).bound, TimeBound::kDram);
  EXPECT_NEAR(time_on(stream(1551, 0), a100, a6000), 1551 * 1385.0 / 340, 0.02 * 1551 * 1385 / 340);
}

TEST(MeasuredKernel, WhereKernelsDoNotContendItsBytesMeanNothing) {
  GpuSpec a100 = load_platform("a100-timed");
  a100.bandwidth.kernels = false;
  const MeasuredBlocks blocks = blocks_of(stream(1551, 0), a100, a100);
  EXPECT_EQ(blocks.block.port_load, 0);
  EXPECT_NEAR(static_cast<double>(blocks.block.block_cycles) / a100.core_hz * 1e6, 1549.5 / 21, 0.1);
}

}  // namespace
}  // namespace heddle
