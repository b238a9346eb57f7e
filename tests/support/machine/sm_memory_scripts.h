#pragma once
// What tests of an SM's memory instructions share: programs of loads, and an SM whose fetch always hits.

#include <utility>
#include <vector>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {

using Script = std::vector<ScriptedInstruction>;

inline CycleSmSpec without_instruction_cache() {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // fetch always hits
  return spec;
}

inline std::vector<Address> lanes(Address base, Address stride) {
  std::vector<Address> result;
  for (Address lane = 0; lane < kLanes; ++lane) result.push_back(base + stride * lane);
  return result;
}

inline ScriptedInstruction load(MemorySpace space, std::vector<Address> addresses) {
  return memory(Operation::kLoad, space, {1}, {1}, std::move(addresses));
}

}  // namespace heddle::test
