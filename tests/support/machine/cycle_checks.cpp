#include "tests/support/machine/cycle_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/core/kernel/launch_counts.h"

namespace heddle::test {

namespace {

void expect_cycles_accounted(const CycleRun& run) {
  for (std::uint32_t sm = 0; run.counters.count(fmt::format("gpu.sm{}.cycles.active", sm)) > 0; ++sm) {
    EXPECT_EQ(run.sum(fmt::format("gpu.sm{}.cycles.*", sm)), run.core_cycles) << sm;
    for (std::uint32_t i = 0; run.counters.count(fmt::format("gpu.sm{}.scheduler{}.active", sm, i)) > 0; ++i)
      EXPECT_EQ(run.sum(fmt::format("gpu.sm{}.scheduler{}.*", sm, i)), run.core_cycles) << sm << ' ' << i;
  }
}

template <class Fields>
void expect_same_sums(const CycleRun& run, const Fields& fields, const std::string& kernels,
                      const std::string& blocks) {
  for (const auto& field : fields)
    EXPECT_EQ(run.sum(fmt::format("applications.*.*.{}.{}", kernels, field.name)),
              run.sum(fmt::format("gpu.{}.{}", blocks, field.name)));
}

void expect_kernels_close(const CycleRun& run) {
  expect_same_sums(run, KernelCounts::fields(), "sm", "sm*");
  expect_same_sums(run, L2Counts::fields(), "l2", "l2_*");
  expect_same_sums(run, DramCounts::fields(), "dram", "dram*");
  EXPECT_EQ(run.sum("applications.*.*.crossbar.request_flits"), run.at("gpu.crossbar.requests.flits"));
  EXPECT_EQ(run.sum("applications.*.*.crossbar.reply_flits"), run.at("gpu.crossbar.replies.flits"));
  std::uint64_t instructions = 0;
  std::uint64_t lanes = 0;
  for (const char* unit : {"sp", "int", "dp", "sfu", "tensor", "memory"}) {
    instructions += run.sum(fmt::format("gpu.sm*.{}_instructions", unit));
    lanes += run.sum(fmt::format("gpu.sm*.{}_lanes", unit));
  }
  EXPECT_EQ(instructions, run.sum("gpu.sm*.warp_instructions"));
  EXPECT_EQ(lanes, run.sum("gpu.sm*.thread_instructions"));
  EXPECT_EQ(run.sum("applications.*.*.warp_instructions"), run.sum("gpu.sm*.warp_instructions"));
  EXPECT_EQ(run.sum("applications.*.*.thread_instructions"), run.sum("gpu.sm*.thread_instructions"));
  EXPECT_EQ(run.sum("applications.*.*.blocks_done"), run.sum("gpu.sm*.blocks"));
  EXPECT_EQ(run.sum("gpu.sm*.l1_accesses"),
            run.sum("gpu.sm*.l1_hits") + run.sum("gpu.sm*.l1_merges") + run.sum("gpu.sm*.l1_misses"));
}

void expect_requests_conserved(const CycleRun& run) {
  const std::uint64_t sent =
      run.sum("gpu.sm*.loads") + run.sum("gpu.sm*.stores") + run.sum("gpu.sm*.fetch_misses");
  EXPECT_EQ(run.at("gpu.crossbar.requests.packets"), sent);
  EXPECT_EQ(run.sum("gpu.l2_*.requests"), sent);
  EXPECT_EQ(run.sum("gpu.l2_*.replies"), sent);
  EXPECT_GE(run.at("gpu.crossbar.replies.packets"), sent);  // a long reply may be several packets
  EXPECT_EQ(run.sum("gpu.l2_*.atomics"), run.sum("gpu.sm*.atomics"));
  EXPECT_EQ(run.sum("gpu.l2_*.accesses"), run.sum("gpu.l2_*.hits") + run.sum("gpu.l2_*.misses"));
  EXPECT_EQ(run.sum("gpu.l2_*.fill_bytes"), 64 * run.sum("gpu.l2_*.fills"));
  EXPECT_EQ(run.sum("gpu.dram*.reads"), run.sum("gpu.l2_*.fills"));
  EXPECT_EQ(run.sum("gpu.dram*.writes"), run.sum("gpu.l2_*.write_backs"));
  EXPECT_EQ(run.sum("gpu.dram*.commands.RD") + run.sum("gpu.dram*.commands.RDA"), run.sum("gpu.dram*.reads"));
  EXPECT_EQ(run.sum("gpu.dram*.commands.WR") + run.sum("gpu.dram*.commands.WRA"),
            run.sum("gpu.dram*.writes"));
  EXPECT_EQ(
      run.sum("gpu.dram*.row_hits") + run.sum("gpu.dram*.row_misses") + run.sum("gpu.dram*.row_conflicts"),
      run.sum("gpu.dram*.reads") + run.sum("gpu.dram*.writes"));
}

}  // namespace

void expect_closed(const CycleRun& run) {
  ASSERT_EQ(run.failure, "");
  expect_cycles_accounted(run);
  expect_kernels_close(run);
  expect_requests_conserved(run);
}

void expect_same(const CycleRun& one, const CycleRun& other, bool wakes) {
  ASSERT_EQ(one.counters.size(), other.counters.size());
  for (const auto& [path, value] : one.counters) {
    const std::string last = path.substr(path.rfind('.') + 1);
    if (!wakes && (last == "ticks" || last == "wakes" || last == "calls")) continue;
    EXPECT_EQ(other.at(path), value) << path;
  }
}

}  // namespace heddle::test
