#include "stimuli/synthetic/synthetic_restart.h"

#include <algorithm>

namespace heddle {

namespace {

struct GlobalAccesses {
  bool atomic = false;
  std::vector<AccessPattern> loads;
  std::vector<AccessPattern> stores;

  void add(const std::vector<SyntheticEntry>& entries) {
    for (const SyntheticEntry& entry : entries) {
      add(entry.body);
      add(entry.otherwise);
      if (entry.kind != SyntheticEntry::Kind::kMemory || entry.operations.empty()) continue;
      if (entry.space == MemorySpace::kShared || entry.space == MemorySpace::kLocal) continue;
      atomic = atomic || entry.operations.front() == Operation::kAtomic;
      (entry.operations.front() == Operation::kStore ? stores : loads).push_back(entry.access);
    }
  }
};

}  // namespace

bool may_restart(const SyntheticKernel& kernel) {
  GlobalAccesses accesses;
  accesses.add(kernel.code);
  const auto meets_a_load = [&accesses](const AccessPattern& store) {
    return std::any_of(accesses.loads.begin(), accesses.loads.end(), [&store](const AccessPattern& load) {
      return store.base < load.base + load.size && load.base < store.base + store.size;
    });
  };
  return !accesses.atomic && std::none_of(accesses.stores.begin(), accesses.stores.end(), meets_a_load);
}

}  // namespace heddle
