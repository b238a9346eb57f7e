#pragma once
// The mutants of tests/data/rtl/mutants: each replaces one text of the sources of a block.

#include <string>
#include <vector>

#include "tests/support/rtl/verilated_unit.h"

namespace heddle::test {

struct UnitMutant {
  int number = 0;
  std::string find;
  std::string replace;
  bool equivalent = false;
  std::string library;
};

std::vector<UnitMutant> read_mutants(const std::string& block);

// Makes the libraries of all mutants, or of one of ten at the short size. The text of every mutant must stand
// exactly once in the sources.
std::vector<UnitMutant> build_mutants(const UnitSources& unit);

}  // namespace heddle::test
