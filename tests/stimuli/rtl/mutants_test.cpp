// The random cases find an error in a block: every mutant of tests/data/rtl/mutants answers differently from
// the block in some case, in which the oracle contradicts the mutant, too. Mutants that are marked equivalent
// never do. What a block does not reset has other values in each of two instances of a mutant. Shadow mode
// tells the first wrong choice of a mutant in the cycle in which the oracle contradicts it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platforms/load/read_rtl.h"
#include "tests/support/rtl/unit_bench.h"
#include "tests/support/rtl/unit_mutants.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr int kMutants = 50;  // of each block

struct Mutant : UnitMutant {
  std::vector<std::unique_ptr<RtlInstance>> instances;
  std::string killed;      // how; empty: it lives
  std::uint64_t told = 0;  // the cycle in which shadow mode tells the first difference; 0: none
};

void ask(Mutant& mutant, const UnitBench& bench, std::uint64_t number) {
  for (const std::unique_ptr<RtlInstance>& instance : mutant.instances) {
    try {
      const Answer answer = bench.ask(*instance);
      if (answer.choices != bench.oracle().choices)
        mutant.killed = fmt::format("choice of case {}", number);
      else if (answer.counters != bench.oracle().counters)
        mutant.killed = fmt::format("counters of case {}", number);
    } catch (const RtlError& error) {
      mutant.killed = fmt::format("error in case {}", number);
    }
    if (!mutant.killed.empty()) return;
  }
}

std::vector<Mutant> mutants_of(const UnitSources& unit) {
  std::vector<Mutant> mutants;
  for (UnitMutant& built : build_mutants(unit)) {
    Mutant mutant{std::move(built), {}, "", 0};
    const std::shared_ptr<const RtlLibrary> library = RtlLibrary::load(mutant.library);
    for (const std::uint64_t seed : {2, 3}) mutant.instances.push_back(library->create(seed));
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

// Returns how a machine would use the mutant in shadow mode.
RtlSpec shadow_of(const Unit& unit, const Mutant& mutant, std::uint64_t seed) {
  RtlSpec spec = load_rtl_block(unit.sources.top);
  spec.seed = seed;
  spec.source.library = mutant.library;
  spec.mode = RtlMode::kShadow;
  spec.stop_on_divergence = false;
  return spec;
}

// Runs the mutant in shadow mode, in the machine that the seed draws. Another instance, which this function
// drives by its pins, shows the cycle in which the oracle contradicts the mutant for the first time. Shadow
// mode tells its first difference in this cycle, or ends the run with an error: a unit is not done in time.
// Returns the cycle, or 0 if there is none.
std::uint64_t told_in_machine(const Unit& unit, const Mutant& mutant, std::uint64_t seed) {
  RtlBlock block(shadow_of(unit, mutant, seed), {{"core", 1}, {"icnt", 1}});
  const std::unique_ptr<UnitBench> bench = unit.shadow_bench(seed, block);
  const std::unique_ptr<RtlInstance> instance = block.library().create(block.spec().seed);
  for (RtlSignal& signal : instance->signals())
    if (signal.direction() == HEDDLE_RTL_INPUT) signal.clear();
  reset(*instance);
  for (std::uint64_t cycle = 1; cycle <= unit.cases / 500; ++cycle) {
    const std::uint64_t asked = block.choices.value();
    bool ends = false;
    try {
      bench->draw();
    } catch (const RtlError&) {
      ends = true;
    }
    if (!ends && block.choices.value() == asked) continue;
    const bool wrong = bench->ask(*instance).choices != bench->oracle().choices;
    const bool differs = !block.divergences().empty();
    EXPECT_EQ(ends || differs, wrong) << "mutant " << mutant.number << " in cycle " << cycle;
    if (differs) {
      EXPECT_EQ(block.divergences().front().cycle, Cycle{cycle}) << "mutant " << mutant.number;
    }
    if (ends || differs) return cycle;
  }
  return 0;
}

// Runs the mutant in several machines, up to the first one that tells a difference.
std::uint64_t told_in_shadow_mode(const Unit& unit, const Mutant& mutant) {
  std::uint64_t cycle = 0;
  for (std::uint64_t seed = 1; cycle == 0 && seed <= cases(10); ++seed)
    cycle = told_in_machine(unit, mutant, seed);
  return cycle;
}

class RtlMutants : public testing::TestWithParam<Unit> {};

std::string name_of(const testing::TestParamInfo<Unit>& info) {
  return label_of(info.param);
}

TEST_P(RtlMutants, AreToldFromTheBlock) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  const Unit& unit = GetParam();
  ASSERT_EQ(read_mutants(unit.sources.top).size(), kMutants);
  const std::unique_ptr<RtlInstance> block = library_of(unit.sources)->create(1);
  std::vector<Mutant> mutants = mutants_of(unit.sources);
  const std::unique_ptr<UnitBench> bench = unit.bench(2);
  std::size_t living = mutants.size();
  for (std::uint64_t i = 0; i < cases(unit.cases / 10) && living > 0; ++i) {
    bench->draw();
    ASSERT_EQ(bench->ask(*block), bench->oracle()) << "case " << i;
    for (Mutant& mutant : mutants) {
      if (!mutant.killed.empty()) continue;
      ask(mutant, *bench, i);
      if (!mutant.killed.empty()) --living;
    }
  }
  std::uint64_t told = 0;
  for (Mutant& mutant : mutants) {
    EXPECT_EQ(mutant.killed.empty(), mutant.equivalent)
        << "mutant " << mutant.number << ": '" << mutant.find << "' -> '" << mutant.replace << "' "
        << mutant.killed;
    if (unit.shadow_bench != nullptr) mutant.told = told_in_shadow_mode(unit, mutant);
    EXPECT_FALSE(mutant.told > 0 && mutant.equivalent) << "mutant " << mutant.number;
    if (mutant.told > 0) ++told;
    if (std::getenv("HEDDLE_PRINT_TABLE") != nullptr)
      fmt::print("{} {}: {}{}\n", unit.sources.top, mutant.number,
                 mutant.killed.empty() ? "equivalent" : mutant.killed,
                 mutant.told > 0 ? fmt::format(", told in cycle {}", mutant.told) : "");
  }
  EXPECT_EQ(told > 0, unit.shadow_bench != nullptr);
}

INSTANTIATE_TEST_SUITE_P(Units, RtlMutants, testing::ValuesIn(default_units()), name_of);

}  // namespace
}  // namespace heddle::test
