#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

std::string label_of(const Unit& unit) {
  const auto ports = unit.sources.parameters.find("PORTS");
  return unit.sources.top + (ports == unit.sources.parameters.end() ? "" : "_" + ports->second);
}

std::vector<Unit> all_units() {
  std::vector<Unit> units;
  for (const std::vector<Unit>& family :
       {warp_units(), crossbar_units(), token_units(), water_filling_units(), l2_units(), axi4_units()})
    units.insert(units.end(), family.begin(), family.end());
  return units;
}

std::vector<Unit> default_units() {
  std::vector<Unit> units;
  for (const Unit& unit : all_units())
    if (units.empty() || units.back().sources.top != unit.sources.top) units.push_back(unit);
  return units;
}

}  // namespace heddle::test
