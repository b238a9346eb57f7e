// The statistics of a whole GPU: the number of steps to build and to write them, and the values of the
// counters that the program asks for by name.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "models/gpu/gpu.h"
#include "models/stats/writers.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/statistics.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// Returns the numbers of counters and operands of a GPU, and the steps to build its statistics and to write
// them once.
std::string cost_of(Gpu& gpu) {
  std::ostringstream out;
  write_json(gpu.stats(), out);
  const std::uint64_t steps = gpu.stats().steps();
  std::size_t size = 0;
  gpu.stats().visit([&](const Statistic& statistic) {
    size += statistic.is_formula()
                ? statistic.formula->numerator().size() + statistic.formula->denominator().size()
                : 1;
  });
  return Json{{"size", size}, {"steps", steps}}.dump();
}

Json cost(const std::string& sms, const std::string& channels) {
  const GpuSpec gpu = gtx480({"sm.count=" + sms, "dram.channels=" + channels, "engine.contexts=64"});
  return Json::parse(run(gpu, {process_of(synthetic("[{op: float_fma}]"))}, Build::kPlain, cost_of).note);
}

TEST(StatsCost, OfAGpuGrowsWithItsCountersAndNoFaster) {
  const Json small = cost("16", "5"), large = cost("128", "40");
  const auto each = [](const Json& cost) { return cost["steps"].get<double>() / cost["size"].get<double>(); };
  EXPECT_GT(large["size"].get<double>(), 5 * small["size"].get<double>());
  EXPECT_LE(each(large), 1.1 * each(small)) << small << large;
  EXPECT_LE(each(large), 10) << large;
}

TEST(StatsHandles, AreTheStatisticsThatTheWalkVisits) {
  const auto handles = [](Gpu& gpu) {
    gpu.stats();
    const auto of = [](const Formula& formula) {
      return Json{formula.value().value_or(-1), formula.numerator_sum(), formula.denominator_sum()};
    };
    Json told{{"gpu.occupancy", of(gpu.occupancy())},
              {"gpu.fill", of(gpu.fill())},
              {"gpu.registers_utilisation", of(gpu.utilisation()->registers())},
              {"gpu.shared_memory_utilisation", of(gpu.utilisation()->shared_memory())},
              {"gpu.schedulable_warps", of(gpu.utilisation()->schedulable_warps())},
              {"gpu.l1_miss_rate", of(gpu.utilisation()->l1_miss_rate())},
              {"gpu.l2_miss_rate", of(gpu.memory()->l2_miss_rate())},
              {"gpu.l2_mpki", of(gpu.memory()->l2_mpki())}};
    for (std::size_t i = 0; i < kUnitKinds; ++i)
      if (const Formula* unit = gpu.utilisation()->unit(static_cast<UnitKind>(i)))
        told[std::string("gpu.") + name_of(static_cast<UnitKind>(i)) + "_utilisation"] = of(*unit);
    Json cycles{gpu.active_cycles().value()};
    for (std::size_t i = 0; i < kBuckets; ++i)
      cycles.push_back(gpu.sm_totals()->cycles(static_cast<Bucket>(i)).value());
    const std::uint64_t requests =
        gpu.sm_totals()->sum(&KernelCounts::loads) + gpu.sm_totals()->sum(&KernelCounts::stores);
    return Json{{"formulas", told}, {"cycles", cycles}, {"requests", requests}}.dump();
  };
  const ApiProgram program = synthetic(
      "[{load: global, pattern: stream, region: 90KiB, count: 4, to: x}, {op: float_fma, count: 9},"
      " {store: global, pattern: stream, region: 90KiB, count: 4, from: x}]",
      {20, 128, 20, 4096});
  const CycleRun result = run(gtx480(), {process_of(program)}, Build::kPlain, handles);
  const Json told = Json::parse(result.note);
  const std::map<std::string, ReadStatistic> stats = statistics_in(result.stats);
  const auto sum = [&](const ReadStatistic& formula, const std::vector<std::string>& operands) {
    std::uint64_t total = 0;
    for (const std::string& operand : operands) total += result.at(formula.path_of(operand));
    return total;
  };
  EXPECT_GE(told["formulas"].size(), 7 + 3u);
  for (const auto& [path, formula] : told["formulas"].items()) {
    const ReadStatistic& kept = stats.at(path);
    EXPECT_EQ(formula[0], kept.value.value_or(-1)) << path;
    EXPECT_EQ(formula[1], sum(kept, kept.formula->numerator)) << path;
    EXPECT_EQ(formula[2], sum(kept, kept.formula->denominator)) << path;
  }
  EXPECT_EQ(told["cycles"][0], result.cycles());
  for (std::size_t i = 0; i < kBuckets; ++i)
    EXPECT_EQ(told["cycles"][1 + i],
              result.at(std::string("gpu.sm_cycles.") + name_of(static_cast<Bucket>(i))));
  EXPECT_GT(told["requests"], 0);
  EXPECT_EQ(told["requests"], result.sum("gpu.sm*.loads") + result.sum("gpu.sm*.stores"));
}

}  // namespace
}  // namespace heddle::test
