// The GTX 480 compared with measurements of GPGPU-Sim 4.2's SM2_GTX480: load-to-use latencies by pointer
// chase of one thread, from the difference of two run lengths.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

struct Chase {
  const char* load;  // an entry of code, without the keys that make it a chase
  // Loads before the measured ones.
  std::uint64_t before;
  // Core cycles per step in the reference, less the address arithmetic: 20 cycles for global memory (a
  // multiplication and an addition), 17 for shared memory (a shift and an addition).
  double measured;
  std::uint64_t loads = 512;
};

// Returns the core cycles for each further load of a chain of dependent loads.
double load_to_use(const Chase& chase) {
  const auto cycles = [&](std::uint64_t loads) {
    const ApiProgram program = synthetic(
        fmt::format("[{{loop: {}, body: [{{{}, dependent: true, count: 8}}]}}]", loads / 8, chase.load),
        {1, 1, 16, 1024});
    return static_cast<double>(run(gtx480(), program).cycles());
  };
  return (cycles(chase.before + chase.loads) - cycles(chase.before)) / static_cast<double>(chase.loads);
}

void expect_near(const Chase& chase, double tolerance) {
  EXPECT_NEAR(load_to_use(chase), chase.measured, tolerance * chase.measured) << chase.load;
}

TEST(Gtx480Calibration, LoadToUseOfAnL1HitIs40Cycles) {
  expect_near({"load: global, pattern: uniform, region: 128B", 64, 40.0}, 0.03);
}

TEST(Gtx480Calibration, LoadToUseOfSharedMemoryIs32Cycles) {
  expect_near({"load: shared", 64, 32.0}, 0.03);
}

TEST(Gtx480Calibration, LoadToUseOfAnL2HitPastL1Is143Cycles) {
  expect_near({"load: global, pattern: uniform, region: 128B, bypass_l1: true", 64, 143}, 0.05);
  // The accesses go from slice to slice, and each line is read for the second time.
  expect_near({"load: global, pattern: strided, stride: 128B, region: 64KiB, bypass_l1: true", 512, 143},
              0.05);
}

TEST(Gtx480Calibration, LoadToUseOfAnL2HitThatFillsAnL1LineIs182Cycles) {
  expect_near({"load: global, pattern: strided, stride: 128B, region: 64KiB", 512, 182}, 0.05);
}

TEST(Gtx480Calibration, LoadToUseOfDramIs298CyclesInAnOpenRowAnd320InAnotherOne) {
  // There are 6 channels with 256 B each in turn. Neighbouring rows of a channel, of 4 KiB each, are in
  // different ones of the 16 banks.
  expect_near({"load: global, pattern: strided, stride: 1536B, region: 64MiB", 64, 297.5}, 0.05);
  expect_near({"load: global, pattern: strided, stride: 393216B, region: 384MiB", 64, 319.5}, 0.05);
}

}  // namespace
}  // namespace heddle::test
