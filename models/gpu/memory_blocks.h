#pragma once
// MemoryBlocks makes the L2 slices and the DRAM channels of a memory path: those of the model, or blocks in
// RTL in their place or beside them. It is a part of models/gpu/memory_path.

#include <memory>
#include <string>

#include "models/core/link/memory_block.h"
#include "models/core/time/clock_domain.h"
#include "models/dram/address_map.h"
#include "models/gpu/gpu_spec.h"
#include "models/rtl/interfaces/rtl_memory_block.h"
#include "models/rtl/roles/rtl_policies.h"

namespace heddle {

class MemoryBlocks {
 public:
  MemoryBlocks(const GpuSpec& spec, RtlPolicies& policies, const ChannelMap& channels, ClockDomain& l2,
               ClockDomain& dram);

  // The slice `i`, counted channel by channel, is "l2_i".
  std::unique_ptr<L2Block> l2_slice(std::uint32_t i);
  // The channel `i` is "drami".
  std::unique_ptr<MemoryBlock> dram_channel(std::uint32_t i);

 private:
  MemoryPlace slice_place(std::uint32_t i) const;
  MemoryPlace channel_place(std::uint32_t i) const;

  const GpuSpec& spec_;
  const MemoryPathSpec& path_;
  RtlPolicies& policies_;
  const ChannelMap& channels_;
  ClockDomain& l2_;
  ClockDomain& dram_;
};

// Returns the number of the L2 slice to which a physical address belongs.
std::uint32_t slice_of(const MemoryPathSpec& path, const ChannelMap& channels, Address physical);

}  // namespace heddle
