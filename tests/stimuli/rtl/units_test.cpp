// Heddle's own blocks in SystemVerilog make the choices of their descriptions and of the policies.

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <set>

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
  UnitBuilder builder;
  const std::shared_ptr<const RtlLibrary> library = builder.build(unit.sources, texts_of(unit.sources));
  const std::unique_ptr<UnitBench> bench = unit.bench(1);
  const std::unique_ptr<RtlInstance> instance = library->create(1);
  for (std::uint64_t i = 0; i < cases(unit.cases / 10); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    bench->draw();
    ASSERT_EQ(bench->oracle().choices, bench->model());
    const Answer answer = bench->ask(*instance);
    ASSERT_EQ(answer.choices, bench->oracle().choices);
    ASSERT_EQ(answer.counters, bench->oracle().counters);
  }
}

// The names of a map's keys.
std::set<std::string> keys_of(const YAML::Node& map) {
  std::set<std::string> keys;
  for (const auto& entry : map) keys.insert(entry.first.as<std::string>());
  return keys;
}

TEST_P(RtlUnit, ItsFileConnectsEachInputAndNamesWhatIsThere) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  const UnitSources& sources = GetParam().sources;
  const YAML::Node file = YAML::LoadFile(source_directory() + "/stimuli/rtl/" + sources.top + ".yaml");
  EXPECT_EQ(file["rtl"].as<std::string>(), sources.top);
  EXPECT_EQ(file["top"].as<std::string>(), sources.top);
  EXPECT_EQ(file["sources"].as<std::vector<std::string>>(), sources.files);
  UnitSources made = sources;
  made.parameters = file["parameters"].as<std::map<std::string, std::string>>();
  UnitBuilder builder;
  const std::unique_ptr<RtlInstance> unit = builder.build(made, texts_of(made))->create(1);

  std::set<std::string> connected = keys_of(file["pins"]);
  for (const char* section : {"clocks", "resets"}) connected.merge(keys_of(file[section]));
  for (const std::string& pin : connected) EXPECT_NE(unit->find(pin), nullptr) << pin;
  for (const RtlSignal& signal : unit->signals()) {
    const bool is_input = signal.direction() == HEDDLE_RTL_INPUT;
    EXPECT_TRUE(!is_input || connected.count(signal.name()) == 1) << signal.name();
  }
  for (const auto& counter : file["counters"])
    EXPECT_NE(unit->find(counter.second["signal"].as<std::string>()), nullptr);
  for (const auto& pin : file["pins"])
    if (pin.second.IsMap()) {
      const std::uint32_t element = pin.second["element"].as<std::uint32_t>();
      const std::uint32_t bits = unit->find(pin.first.as<std::string>())->bits();
      EXPECT_EQ(bits % element, 0u);
      EXPECT_GE(1u << element, bits / element);  // an element holds every rank
    }
}

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
  UnitBuilder builder;
  const std::unique_ptr<RtlInstance> unit = builder.build(sources, texts_of(sources))->create(1);
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
  const YAML::Node file = YAML::LoadFile(source_directory() + "/stimuli/rtl/water_filling_unit.yaml");
  EXPECT_GE(std::stoull(file["latency"].as<std::string>()), kTicks);
  for (std::uint64_t kernel = 0; kernel < 8; ++kernel) {
    set(*unit, "read_kernel_i", kernel);
    unit->eval();
    EXPECT_EQ(get(*unit, "blocks_o"), 64u);
  }
}

}  // namespace
}  // namespace heddle::test
