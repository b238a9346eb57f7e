// The random cases find an error in a block: every mutant of tests/data/rtl/mutants answers differently from
// the block in some case, in which the oracle contradicts the mutant, too. Mutants that are marked equivalent
// never do. What a block does not reset has other values in each of two instances of a mutant.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "tests/support/paths.h"
#include "tests/support/rtl/unit_bench.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr int kMutants = 50;  // of each block

struct Mutant {
  int number = 0;
  std::string find;
  std::string replace;
  bool equivalent = false;
  std::vector<std::unique_ptr<RtlInstance>> instances;
  std::string killed;  // how; empty: it lives
};

std::vector<Mutant> read_mutants(const std::string& block) {
  std::vector<Mutant> mutants;
  for (const YAML::Node& entry :
       YAML::LoadFile(source_directory() + "/tests/data/rtl/mutants/" + block + ".yaml")) {
    Mutant mutant;
    mutant.number = entry["number"].as<int>();
    mutant.find = entry["find"].as<std::string>();
    mutant.replace = entry["replace"].as<std::string>();
    mutant.equivalent = static_cast<bool>(entry["equivalent"]);
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

// Replaces the text of the mutant, which stands exactly once in all texts together.
void edit(const Mutant& mutant, std::vector<std::string>& texts) {
  int found = 0;
  for (std::string& text : texts) {
    for (std::size_t at = text.find(mutant.find); at != std::string::npos;
         at = text.find(mutant.find, at + 1))
      ++found;
    const std::size_t at = text.find(mutant.find);
    if (at != std::string::npos) text.replace(at, mutant.find.size(), mutant.replace);
  }
  ASSERT_EQ(found, 1) << "mutant " << mutant.number << ": '" << mutant.find << "'";
}

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

// Tests one mutant of ten at the short size.
std::vector<Mutant> build_mutants(const Unit& unit, UnitBuilder& builder) {
  std::vector<Mutant> chosen;
  for (Mutant& mutant : read_mutants(unit.sources.top)) {
    std::vector<std::string> texts = texts_of(unit.sources);
    edit(mutant, texts);
    if (!full_size() && mutant.number % 10 != 0) continue;
    const std::shared_ptr<const RtlLibrary> library = builder.build(unit.sources, texts);
    for (const std::uint64_t seed : {2, 3}) mutant.instances.push_back(library->create(seed));
    chosen.push_back(std::move(mutant));
  }
  return chosen;
}

class RtlMutants : public testing::TestWithParam<Unit> {};

std::string name_of(const testing::TestParamInfo<Unit>& info) {
  return label_of(info.param);
}

TEST_P(RtlMutants, AreToldFromTheBlock) {
  if (!verilator_is_installed()) GTEST_SKIP() << "Verilator is not installed";
  const Unit& unit = GetParam();
  ASSERT_EQ(read_mutants(unit.sources.top).size(), kMutants);
  UnitBuilder builder;
  const std::unique_ptr<RtlInstance> block = builder.build(unit.sources, texts_of(unit.sources))->create(1);
  std::vector<Mutant> mutants = build_mutants(unit, builder);
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
  for (const Mutant& mutant : mutants) {
    EXPECT_EQ(mutant.killed.empty(), mutant.equivalent)
        << "mutant " << mutant.number << ": '" << mutant.find << "' -> '" << mutant.replace << "' "
        << mutant.killed;
    if (std::getenv("HEDDLE_PRINT_TABLE") != nullptr)
      fmt::print("{} {}: {}\n", unit.sources.top, mutant.number,
                 mutant.killed.empty() ? "equivalent" : mutant.killed);
  }
}

INSTANTIATE_TEST_SUITE_P(Units, RtlMutants, testing::ValuesIn(default_units()), name_of);

}  // namespace
}  // namespace heddle::test
