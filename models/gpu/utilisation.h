#pragma once
// Utilisation has formulas for the utilisation of the cycle SMs' units, registers and shared memory, for
// their schedulable warps, for the miss rate of L1 and for the hit rates of resources that a manager maps.

#include <array>
#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/sm/sm_core.h"
#include "models/sm/sm_module.h"
#include "models/stats/group.h"

namespace heddle {

class Utilisation {
 public:
  // Adds the formulas to `gpu`, the group of the whole GPU. `active` counts the cycles with a resident
  // kernel. There is a formula for every unit that the SMs have, for `registers` and for `shared_memory`. It
  // is the share that is in use, in the mean of the active cycles. `schedulable_warps` is the number of
  // schedulable warps of one SM, in the mean of the active cycles. `l1_miss_rate` is a formula, too. If the
  // resource manager maps, `registers_hit_rate` and `shared_memory_hit_rate` are formulas as well,
  // and if the use of resources is counted, `registers_use` and `shared_memory_use`.
  // `cores` are those of the modules.
  Utilisation(const SmSpec& spec, const std::vector<std::unique_ptr<SmModule>>& modules,
              const std::vector<SmCore*>& cores, const Counter& active, Group& gpu);

  // Returns null if the SMs have no such unit.
  const Formula* unit(UnitKind unit) const { return units_[static_cast<std::size_t>(unit)]; }
  const Formula& registers() const { return *registers_; }
  const Formula& shared_memory() const { return *shared_memory_; }
  const Formula& schedulable_warps() const { return *schedulable_warps_; }
  const Formula& l1_miss_rate() const { return *l1_miss_rate_; }
  // Return null if the resource manager does not map.
  const Formula* registers_hit_rate() const { return registers_hit_rate_; }
  const Formula* shared_memory_hit_rate() const { return shared_memory_hit_rate_; }
  // Return null unless ExecutionSpec::use_epoch is set.
  const Formula* registers_use() const { return registers_use_; }
  const Formula* shared_memory_use() const { return shared_memory_use_; }

 private:
  std::array<const Formula*, kUnitKinds> units_{};
  const Formula* registers_;
  const Formula* shared_memory_;
  const Formula* schedulable_warps_;
  const Formula* l1_miss_rate_;
  const Formula* registers_hit_rate_ = nullptr;
  const Formula* shared_memory_hit_rate_ = nullptr;
  const Formula* registers_use_ = nullptr;
  const Formula* shared_memory_use_ = nullptr;
};

}  // namespace heddle
