// Heddle's own blocks in SystemVerilog make the choices of their descriptions and of the policies.

#include <gtest/gtest.h>

#include "tests/support/rtl/unit_bench.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

class RtlUnit : public testing::TestWithParam<Unit> {};

std::string name_of(const testing::TestParamInfo<Unit>& info) { return label_of(info.param); }

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

INSTANTIATE_TEST_SUITE_P(Units, RtlUnit, testing::ValuesIn(all_units()), name_of);

}  // namespace
}  // namespace heddle::test
