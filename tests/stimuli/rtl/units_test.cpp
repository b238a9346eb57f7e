// Heddle's own blocks in SystemVerilog make the choices of their descriptions and of the policies.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "models/rtl/child_process.h"
#include "models/rtl/rtl_check.h"
#include "platforms/load/read_rtl.h"
#include "tests/support/paths.h"
#include "tests/support/rtl/unit_bench.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

class RtlUnit : public testing::TestWithParam<Unit> {};

std::string name_of(const testing::TestParamInfo<Unit>& info) {
  return label_of(info.param);
}

TEST_P(RtlUnit, ChoosesAsItsDescriptionAndAsTheModelDo) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  const Unit& unit = GetParam();
  const std::unique_ptr<UnitBench> bench = unit.bench(1);
  const std::unique_ptr<RtlInstance> instance = library_of(unit.sources)->create(1);
  for (std::uint64_t i = 0; i < cases(unit.cases / 10); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    bench->draw();
    ASSERT_EQ(bench->oracle().choices, bench->model());
    const Answer answer = bench->ask(*instance);
    ASSERT_EQ(answer.choices, bench->oracle().choices);
    ASSERT_EQ(answer.counters, bench->oracle().counters);
  }
  if (std::getenv("HEDDLE_PRINT_TABLE") != nullptr)
    fmt::print("{}: {} cases, {} choices of the model\n", label_of(unit), cases(unit.cases / 10),
               bench->model_choices());
  EXPECT_GE(bench->model_choices(), cases(unit.choices / 10));
}

class RtlUnitFile : public testing::TestWithParam<Unit> {};

TEST_P(RtlUnitFile, VerilatorHasNoWarningAboutItsSources) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  const UnitSources& sources = GetParam().sources;
  EXPECT_EQ(said_by({"verilator", "--lint-only", "-Wall", "--top-module", sources.top}, sources), "");
}

TEST_P(RtlUnitFile, IcarusReadsItsSources) {
  if (!run_tool({"iverilog", "-V"}).started) GTEST_SKIP() << "Icarus Verilog is not installed";
  const UnitSources& sources = GetParam().sources;
  EXPECT_EQ(said_by({"iverilog", "-g2012", "-Wall", "-t", "null", "-s", sources.top}, sources), "");
}

TEST_P(RtlUnitFile, ConnectsEachInput) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  UnitSources sources = GetParam().sources;
  const RtlSpec spec = load_rtl_block(sources.top);
  ASSERT_EQ(spec.source.files.size(), sources.files.size());
  for (std::size_t i = 0; i < sources.files.size(); ++i)
    EXPECT_EQ(spec.source.files[i], source_directory() + "/stimuli/rtl/" + sources.files[i]);
  EXPECT_EQ(spec.source.top, sources.top);
  sources.parameters = spec.source.parameters;
  const std::shared_ptr<const RtlLibrary> library = library_of(sources);
  EXPECT_NO_THROW(check_pins(spec, *library));
  const std::unique_ptr<RtlInstance> unit = library->create(1);
  for (const RtlPin& pin : spec.pins)
    EXPECT_TRUE(pin.element == 0 || 1u << pin.element >= unit->find(pin.pin)->bits() / pin.element)
        << pin.pin;
}

INSTANTIATE_TEST_SUITE_P(Units, RtlUnitFile, testing::ValuesIn(default_units()), name_of);

INSTANTIATE_TEST_SUITE_P(Units, RtlUnit, testing::ValuesIn(all_units()), name_of);

void write(RtlInstance& unit, std::uint64_t kind, std::uint64_t kernel, std::uint64_t index,
           std::uint64_t value) {
  set(unit, "write_i", 1);
  set(unit, "write_kind_i", kind);
  set(unit, "write_kernel_i", kernel);
  set(unit, "write_index_i", index);
  set(unit, "write_value_i", value);
  unit.eval();
  tick(unit);
  set(unit, "write_i", 0);
}

// Eight kernels whose 64 blocks all fit are raised 63 times each, after the first blocks (40 ticks), and end
// full. Each of these rounds, and the last scan, takes a scan of 8 kernels and a choice (17 ticks). A raise
// takes two ticks for the next entry, five for the resources and one for the raise itself; the end of a curve
// takes one.
TEST(RtlWaterFilling, TheLongestProblemTakesWhatItsFileAllows) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  constexpr std::uint64_t kTicks = 40 + (8 * 63 + 8 + 1) * 17 + 8 * 63 * (2 + 5 + 1) + 8;
  const UnitSources sources = water_filling_units().front().sources;
  const std::unique_ptr<RtlInstance> unit = library_of(sources)->create(1);
  set(*unit, "start_i", 0);
  set(*unit, "write_i", 0);
  reset(*unit);
  for (std::uint64_t kernel = 0; kernel < 8; ++kernel) {
    for (std::uint64_t i = 0; i < 64; ++i) write(*unit, 0, kernel, i, 1 + i);
    for (std::uint64_t resource = 0; resource < 5; ++resource) write(*unit, 1, kernel, resource, 1);
    write(*unit, 3, kernel, 0, 64);
  }
  for (std::uint64_t resource = 0; resource < 5; ++resource) write(*unit, 2, 0, resource, 8 * 64);
  set(*unit, "kernels_i", 8);
  set(*unit, "start_i", 1);
  unit->eval();
  tick(*unit);
  set(*unit, "start_i", 0);
  std::uint64_t ticks = 0;
  for (unit->eval(); get(*unit, "done_o") == 0 && ticks < 20000; ++ticks) {
    tick(*unit);
    unit->eval();
  }
  EXPECT_EQ(ticks, kTicks);
  EXPECT_GE(load_rtl_block("water_filling_unit").latency, kTicks);
  for (std::uint64_t kernel = 0; kernel < 8; ++kernel) {
    set(*unit, "read_kernel_i", kernel);
    unit->eval();
    EXPECT_EQ(get(*unit, "blocks_o"), 64u);
  }
}

// A line is read twice. After that a hit comes in each tick and is answered in the next one.
TEST(RtlL2Tags, AnswersAHitInEachTick) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  const UnitSources sources = l2_units().front().sources;
  const std::unique_ptr<RtlInstance> unit = library_of(sources)->create(1);
  set(*unit, "request_valid_i", 0);
  reset(*unit);
  set(*unit, "request_address_i", 0x12345);
  set(*unit, "request_write_i", 0);
  for (const char* pin : {"request_valid_i", "answer_ready_i", "memory_ready_i", "fill_valid_i"})
    set(*unit, pin, 1);
  std::vector<std::uint64_t> answered;
  for (std::uint64_t i = 0; i < 40; ++i) {
    set(*unit, "request_id_i", i);
    unit->eval();
    if (get(*unit, "answer_valid_o") != 0) answered.push_back(i);
    tick(*unit);
  }
  // The miss comes in tick 0, is seen in tick 1, read in tick 2, filled in tick 3 and answered in tick 4.
  std::vector<std::uint64_t> expected(36);
  std::iota(expected.begin(), expected.end(), 4);
  EXPECT_EQ(answered, expected);
  EXPECT_EQ(get(*unit, "misses_o"), 1u);
}

}  // namespace
}  // namespace heddle::test
