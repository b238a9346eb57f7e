#include "tests/support/rtl/unit_mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "tests/support/paths.h"
#include "tests/support/test_size.h"

namespace heddle::test {

namespace {

void edit(const UnitMutant& mutant, std::vector<std::string>& texts) {
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

}  // namespace

std::vector<UnitMutant> read_mutants(const std::string& block) {
  std::vector<UnitMutant> mutants;
  for (const YAML::Node& entry :
       YAML::LoadFile(source_directory() + "/tests/data/rtl/mutants/" + block + ".yaml")) {
    UnitMutant mutant;
    mutant.number = entry["number"].as<int>();
    mutant.find = entry["find"].as<std::string>();
    mutant.replace = entry["replace"].as<std::string>();
    mutant.equivalent = static_cast<bool>(entry["equivalent"]);
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

std::vector<UnitMutant> build_mutants(const UnitSources& unit) {
  std::vector<UnitMutant> chosen;
  for (UnitMutant& mutant : read_mutants(unit.top)) {
    std::vector<std::string> texts = texts_of(unit);
    edit(mutant, texts);
    if (!full_size() && mutant.number % 10 != 0) continue;
    mutant.library = make_library(unit, fmt::format("{}-{}", unit.top, mutant.number), texts);
    chosen.push_back(std::move(mutant));
  }
  return chosen;
}

}  // namespace heddle::test
