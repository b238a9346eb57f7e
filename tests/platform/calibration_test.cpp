// The GTX 480 against measurements of GPGPU-Sim 4.2's SM2_GTX480: load-to-use latencies by pointer chase, one
// warp, from the difference of two run lengths. Closed forms of rates, coalescing and bank conflicts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/cycle_machine.h"

namespace heddle::test {
namespace {

// Core cycles for each further load of a chain of dependent ones. `rounds` loads come first, unmeasured.
double load_to_use(const std::string& load, std::uint64_t rounds, std::uint64_t more,
                   const std::vector<std::string>& settings = {}) {
  const auto cycles = [&](std::uint64_t loads) {
    return run(gtx480(settings), synthetic(fmt::format("[{{loop: {}, body: [{{{}, dependent: true, count: 8}}]}}]",
                                               loads / 8, load),
                                   {1, 32, 16, 1024}))
        .cycles();
  };
  const auto longer = static_cast<double>(cycles(rounds + more));
  return (longer - static_cast<double>(cycles(rounds))) / static_cast<double>(more);
}

TEST(Gtx480Calibration, X) {
  printf("L1 %f\n", load_to_use("load: global, pattern: uniform, region: 128B", 64, 512));
  printf("shared %f\n", load_to_use("load: shared", 64, 512));
  printf("l2 bypass %f\n", load_to_use("load: global, pattern: uniform, region: 128B, bypass_l1: true", 64, 512));
  printf("l2 bypass set %f\n", load_to_use("load: global, pattern: working_set, region: 64KiB, bypass_l1: true", 512, 512));
  printf("l2 fill set %f\n", load_to_use("load: global, pattern: working_set, region: 64KiB", 512, 512));
  printf("l2 fill set 256 %f\n", load_to_use("load: global, pattern: working_set, region: 256KiB", 2048, 2048));
  printf("dram stride %f\n", load_to_use("load: global, pattern: strided, stride: 128B, region: 64MiB", 64, 512));
  printf("dram working %f\n", load_to_use("load: global, pattern: working_set, region: 8MiB", 64, 512));
  printf("dram random %f\n", load_to_use("load: global, pattern: random, region: 64MiB", 64, 512));
  printf("dram random bypass %f\n", load_to_use("load: global, pattern: random, region: 64MiB, bypass_l1: true", 64, 512));
}

}  // namespace
}  // namespace heddle::test
