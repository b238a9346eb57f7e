#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

std::vector<Unit> all_units() {
  std::vector<Unit> units;
  for (const std::vector<Unit>& family : {warp_units(), crossbar_units(), token_units(), water_filling_units()})
    units.insert(units.end(), family.begin(), family.end());
  return units;
}

}  // namespace heddle::test
