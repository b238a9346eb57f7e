#pragma once
// LaunchState holds the state that all blocks of one launch share.

#include <atomic>
#include <cstdint>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/ptx/steps/entry_code.h"

namespace heddle::ptx {

struct LaunchState {
  LaunchState(const Launch& described, const EntryCode& entry_code, DeviceMemory& device_memory,
              bool with_independent_threads = false)
      : launch(described),
        cluster(cluster_of(described)),
        code(entry_code),
        memory(device_memory),
        independent_threads(with_independent_threads),
        last_allocations(entry_code.accesses.size()) {}

  // Freed memory must not be reached through last_allocations.
  void forget_allocations() {
    for (auto& allocation : last_allocations) allocation.store(nullptr, std::memory_order_relaxed);
  }

  const Module& module() const { return *image_of(*launch.code).module; }

  const Launch& launch;
  const Dim3 cluster;  // blocks
  const EntryCode& code;
  DeviceMemory& memory;
  const bool independent_threads;  // a lane of a warp may wait for another one
  // The allocation that each access (by EntryCode::accesses) found when it was executed last; null: none.
  // Blocks read and write the elements at the same time on several threads of the host.
  std::vector<std::atomic<const DeviceMemory::Allocation*>> last_allocations;
  // The number of live registers at each step of the entry (live_registers.h); null: it is not known.
  const std::vector<std::uint32_t>* live_registers = nullptr;
  bool is_watched = false;  // changes of memory are noted; see KernelProgram::watch()
};

}  // namespace heddle::ptx
