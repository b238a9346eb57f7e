#include "models/core/kernel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heddle {

namespace {

std::uint32_t round_up(std::uint32_t amount, std::uint32_t granularity) {
  return (amount + granularity - 1) / granularity * granularity;
}

}  // namespace

BlockResources& BlockResources::operator+=(const BlockResources& other) {
  threads += other.threads;
  warps += other.warps;
  registers += other.registers;
  shared_bytes += other.shared_bytes;
  blocks += other.blocks;
  return *this;
}

BlockResources& BlockResources::operator-=(const BlockResources& other) {
  threads -= other.threads;
  warps -= other.warps;
  registers -= other.registers;
  shared_bytes -= other.shared_bytes;
  blocks -= other.blocks;
  return *this;
}

const char* name_of(Resource resource) {
  switch (resource) {
    case Resource::kThreads:
      return "threads";
    case Resource::kWarps:
      return "warps";
    case Resource::kRegisters:
      return "registers";
    case Resource::kSharedMemory:
      return "shared memory";
    case Resource::kBlockSlots:
      return "block slots";
  }
  return "?";
}

BlockResources resources_of(const BlockShape& shape, const SmLimits& limits) {
  BlockResources need;
  need.threads = shape.threads;
  need.warps = (shape.threads + limits.warp_size - 1) / limits.warp_size;
  need.blocks = 1;
  if (limits.by_warp) return need;
  need.registers =
      need.warps * round_up(shape.registers_per_thread * limits.warp_size, limits.register_granularity);
  need.shared_bytes = round_up(shape.shared_bytes + limits.shared_reserved, limits.shared_granularity);
  return need;
}

BlockResources held_at_end(const BlockResources& need, const SmLimits& limits) {
  BlockResources held = need;
  if (limits.by_warp) held.warps = 1;
  return held;
}

bool fits(const BlockResources& used, const BlockResources& more, const SmLimits& limits) {
  return used.blocks + more.blocks <= limits.block_slots && used.threads + more.threads <= limits.threads &&
         used.warps + more.warps <= limits.warps && used.registers + more.registers <= limits.registers &&
         used.shared_bytes + more.shared_bytes <= limits.shared_bytes;
}

Residency residency_of(const BlockShape& shape, const SmLimits& limits) {
  if (shape.threads == 0 || shape.threads > limits.threads_per_block) return {0, Resource::kThreads};
  if (shape.registers_per_thread > limits.registers_per_thread) return {0, Resource::kRegisters};
  if (std::uint64_t{shape.shared_bytes} + limits.shared_reserved > limits.shared_bytes)
    return {0, Resource::kSharedMemory};
  if (limits.by_warp) {
    SmLimits by_block = limits;
    by_block.by_warp = false;
    if (const Residency alone = residency_of(resources_of(shape, by_block), by_block); alone.blocks == 0)
      return alone;
  }
  const Residency most = residency_of(resources_of(shape, limits), limits);
  const std::uint32_t preferred = blocks_of_carve_out(shape, limits);
  return preferred < most.blocks ? Residency{preferred, Resource::kSharedMemory} : most;
}

Residency residency_of(const BlockResources& block, const SmLimits& limits, const BlockResources& held) {
  const auto times = [](std::uint32_t have, std::uint32_t each) {
    return each == 0 ? ~std::uint32_t{0} : have / each;
  };
  const std::array<Residency, 5> bounds{
      {{times(limits.threads - held.threads, block.threads), Resource::kThreads},
       {times(limits.warps - held.warps, block.warps), Resource::kWarps},
       {times(limits.registers - held.registers, block.registers), Resource::kRegisters},
       {times(limits.shared_bytes - held.shared_bytes, block.shared_bytes), Resource::kSharedMemory},
       {limits.block_slots - held.blocks, Resource::kBlockSlots}}};
  return *std::min_element(bounds.begin(), bounds.end(),
                           [](const Residency& a, const Residency& b) { return a.blocks < b.blocks; });
}

std::uint32_t carve_out_of(const BlockShape& shape, const SmLimits& limits) {
  const std::vector<std::uint32_t>& sizes = limits.carve_outs;
  if (limits.by_warp) return sizes.back();
  std::uint64_t least = resources_of(shape, limits).shared_bytes;
  if (shape.carve_out == BlockShape::kAnyCarveOut) {
    least *= residency_of(shape, limits).blocks;
  } else {
    const std::uint64_t hundredfold =
        std::uint64_t{sizes.back()} * static_cast<std::uint32_t>(shape.carve_out);
    least = std::max(least, (hundredfold + 99) / 100);
  }
  const auto found = std::lower_bound(sizes.begin(), sizes.end(), least);
  return found == sizes.end() ? sizes.back() : *found;
}

std::uint32_t blocks_of_carve_out(const BlockShape& shape, const SmLimits& limits) {
  if (shape.carve_out == BlockShape::kAnyCarveOut || limits.carve_outs.empty() || limits.by_warp)
    return kAnyBlocks;
  const std::uint32_t each = resources_of(shape, limits).shared_bytes;
  return each == 0 ? kAnyBlocks : carve_out_of(shape, limits) / each;
}

bool can_reside(const BlockShape& shape, const SmLimits& limits) {
  return residency_of(shape, limits).blocks > 0 &&
         (shape.cluster == 1 || shape.cluster <= limits.cluster_sms);
}

std::string shortage_of(const BlockShape& shape, const SmLimits& limits) {
  if (residency_of(shape, limits).blocks > 0)
    return limits.cluster_sms == 0
               ? fmt::format("its clusters have {} blocks, and the SMs have no network (sm.cluster)",
                             shape.cluster)
               : fmt::format("its clusters have {} blocks, and a GPC has {} SMs", shape.cluster,
                             limits.cluster_sms);
  const auto more = [](const char* what, std::uint32_t need, std::uint32_t have, const char* of) {
    return fmt::format("it needs {} {}, and {} {}", need, what, of, have);
  };
  SmLimits by_block = limits;
  by_block.by_warp = false;
  const BlockResources need = resources_of(shape, by_block);
  switch (residency_of(shape, limits).bound) {
    case Resource::kThreads:
      if (shape.threads > limits.threads_per_block)
        return more("threads", shape.threads, limits.threads_per_block, "a block may have");
      return more("threads", shape.threads, limits.threads, "the SM has");
    case Resource::kWarps:
      return more("warps", need.warps, limits.warps, "the SM has");
    case Resource::kRegisters:
      if (shape.registers_per_thread > limits.registers_per_thread)
        return more("registers a thread", shape.registers_per_thread, limits.registers_per_thread,
                    "a thread may have");
      return more("registers", need.registers, limits.registers, "the SM has");
    case Resource::kSharedMemory:
      return more("B of shared memory", std::max(shape.shared_bytes, need.shared_bytes), limits.shared_bytes,
                  "the SM has");
    case Resource::kBlockSlots:
      break;
  }
  return "the SM takes no block";
}

}  // namespace heddle
