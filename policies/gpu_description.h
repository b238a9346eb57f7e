#pragma once
// The description of a GPU that constraints of policies are stated over. It holds plain numbers, so that a
// policy does not depend on the format of platforms.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// How a GPU can be split into instances that share nothing (NVIDIA, Multi-Instance GPU User Guide). A profile
// is the size of an instance.
struct InstanceProfiles {
  struct Profile {
    std::string name;  // such as "3g.20gb"
    std::uint32_t sms = 0;
    std::uint32_t memory_slices = 0;  // of `memory_slices` below
    std::uint32_t copy_engines = 0;
  };
  std::uint32_t memory_slices = 0;  // equal parts of memory channels, L2 and device memory; 0: no instances
  std::uint32_t copy_engines = 0;   // that the profiles count
  std::vector<Profile> profiles;
};

struct GpuDescription {
  std::uint32_t sms = 0;
  std::uint32_t contexts = 0;         // most contexts on the GPU at once
  std::uint32_t ksrs = 0;             // most kernels on the execution engine at once
  std::uint32_t hardware_queues = 0;  // of commands
  std::uint32_t block_slots = 0;      // of an SM
  std::uint32_t warp_slots = 0;       // of an SM
  bool has_cycle_sms = false;         // false: timed SMs, on which no warp issues an instruction
  std::uint32_t warp_schedulers = 0;  // of a cycle SM; 0 on timed SMs
  bool has_dram = false;              // false: device memory takes no time
  bool has_channel_sets = false;      // the memory of a context lies in some of the memory channels
  bool has_faults = false;            // some registers, shared memory or warp slots of an SM are faulty
  std::size_t applications = 0;       // of the experiment; 0: not known
  std::uint32_t host_cores = 0;       // that the processes share; 0: one for each process
  InstanceProfiles instances{};

  // Most warps that one warp scheduler of a cycle SM chooses among; 0 on timed SMs.
  std::uint32_t warps_per_scheduler() const {
    return warp_schedulers == 0 ? 0 : (warp_slots + warp_schedulers - 1) / warp_schedulers;
  }
};

}  // namespace heddle
