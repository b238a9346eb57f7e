#pragma once
// The statistics of an SM about what its warps access: what a resource manager does, and how many of the
// registers and words of shared memory are used within an epoch.

#include <array>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/stats/epoch_use.h"
#include "models/stats/group.h"
#include "policies/resource_manager/i_resource_manager.h"

namespace heddle {

// ResourceStats has the statistics of a resource manager that maps.
class ResourceStats {
 public:
  // `stats` is the group of the SM.
  void declare(Group& stats);
  void set(const ResourceManager& manager);

  // Of registers or shared memory.
  const Counter& accesses(ManagedResource resource) const { return of(resource).accesses; }
  const Counter& on_chip(ManagedResource resource) const { return of(resource).on_chip; }

 private:
  struct Resource {
    Counter accesses, on_chip, stored, loaded, threshold, swapped, epochs;
  };
  const Resource& of(ManagedResource resource) const {
    return resources_[static_cast<std::size_t>(resource)];
  }
  std::array<Resource, kManagedResources> resources_;
};

// ResourceUse counts the registers and the words of shared memory that are accessed within an epoch
// (Vijaykumar et al., Zorua, Figure 6).
class ResourceUse {
 public:
  // `stats` is the group of the SM. `limits` are those of its blocks, and `registers` and `shared_bytes` are
  // what it has.
  ResourceUse(std::uint64_t epoch, const SmLimits& limits, Group& stats);
  void reset();

  // The warp of the logical block executes the instruction. Each of its threads has so many registers, and
  // register r is register r modulo that.
  void count(Cycle now, std::uint32_t warp, std::uint32_t block, std::uint32_t registers_per_thread,
             const IssuedInstruction& issued);

  const EpochUse& registers() const { return registers_; }
  const EpochUse& shared_memory() const { return shared_memory_; }

 private:
  static constexpr std::uint32_t kWordBytes = 4;

  const std::uint32_t shared_words_;
  const std::uint32_t warp_registers_;  // that an access of a warp can name
  EpochUse registers_;                  // an item is a register of a warp
  EpochUse shared_memory_;              // an item is a word of a block
};

}  // namespace heddle
