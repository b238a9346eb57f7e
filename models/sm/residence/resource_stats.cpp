#include "models/sm/residence/resource_stats.h"

#include <algorithm>
#include <cmath>

namespace heddle {

void ResourceStats::declare(Group& stats) {
  constexpr std::array<const char*, kManagedResources> kNames = {"slots", "shared_memory", "registers"};
  Group& all = stats.child("resources");
  for (std::size_t i = 0; i < kManagedResources; ++i) {
    Resource& own = resources_[i];
    Group& group = all.child(kNames[i]);
    group.add(own.stored, "stored", "set", "sets that went to swap space with their contents");
    group.add(own.loaded, "loaded", "set", "sets that came back from swap space");
    group.add(own.threshold, "threshold", "set*epoch",
              "sets that might be in swap space, rounded, summed over epochs");
    group.add(own.swapped, "swapped", "set*epoch",
              "sets that were in swap space at the end of an epoch, summed over epochs");
    group.add(own.epochs, "epochs", "epoch", "epochs with a block on the SM");
    if (static_cast<ManagedResource>(i) == ManagedResource::kSlots) continue;
    group.add(own.accesses, "accesses", "access",
              "of a register by a warp, or of a set of shared memory by an instruction");
    group.add(own.on_chip, "on_chip", "access", "of these, those that found it on chip");
    group.add_formula("hit_rate", "1", "accesses that found it on chip, per access", {own.on_chip},
                      {own.accesses});
  }
}

void ResourceStats::set(const ResourceManager& manager) {
  for (std::size_t i = 0; i < kManagedResources; ++i) {
    const ResourceCounts counts = manager.counts(static_cast<ManagedResource>(i));
    Resource& own = resources_[i];
    own.accesses.set(counts.accesses);
    own.on_chip.set(counts.on_chip);
    own.stored.set(counts.stored);
    own.loaded.set(counts.loaded);
    own.threshold.set(static_cast<std::uint64_t>(std::llround(counts.threshold)));
    own.swapped.set(counts.swapped);
    own.epochs.set(counts.epochs);
  }
}

ResourceUse::ResourceUse(std::uint64_t epoch, const SmLimits& limits, Group& stats)
    : shared_words_(limits.shared_bytes / kWordBytes),
      warp_registers_(std::min<std::uint32_t>(limits.registers_per_thread, kFirstPredicateName)),
      registers_({epoch, std::size_t{limits.warps} * warp_registers_, kLanes, limits.registers}),
      shared_memory_(
          {epoch, std::size_t{limits.block_slots} * shared_words_, kWordBytes, limits.shared_bytes}) {
  Group& all = stats.child("use");
  registers_.declare(all.child("registers"), "register*epoch");
  shared_memory_.declare(all.child("shared_memory"), "byte*epoch");
}

void ResourceUse::reset() {
  registers_.reset();
  shared_memory_.reset();
}

void ResourceUse::count(Cycle now, std::uint32_t warp, std::uint32_t block,
                        std::uint32_t registers_per_thread, const IssuedInstruction& issued) {
  registers_.start(now);
  shared_memory_.start(now);
  const Instruction& code = *issued.code;
  const auto access = [&](RegisterId id) {
    if (id < kFirstPredicateName && registers_per_thread > 0)
      registers_.access(std::size_t{warp} * warp_registers_ + id % registers_per_thread);
  };
  for (const RegisterId id : code.sources()) access(id);
  for (const RegisterId id : code.destinations()) access(id);
  if (code.space != MemorySpace::kShared) return;
  for (std::uint32_t lanes = issued.mask; lanes != 0; lanes &= lanes - 1) {
    const Address first = issued.addresses[static_cast<std::uint32_t>(__builtin_ctz(lanes))];
    for (Address word = first / kWordBytes; word * kWordBytes < first + code.bytes; ++word)
      if (word < shared_words_) shared_memory_.access(std::size_t{block} * shared_words_ + word);
  }
}

}  // namespace heddle
