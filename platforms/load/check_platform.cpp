#include "platforms/load/check_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/core/kernel/instruction.h"
#include "models/dram/address_map.h"
#include "models/gpu/peak_power.h"
#include "models/sm/residence/warp_mask.h"

namespace heddle {

namespace {

void refuse_key(const config::Section& section, const char* key, const std::string& why) {
  if (section.has(key)) section.value(key).problem(why);
}

void check_sm(const config::Section& section, const SmSpec& sm) {
  const SmLimits& limits = sm.limits;
  const std::uint64_t warps =
      limits.warp_size == 0 ? 0 : (limits.threads + limits.warp_size - 1) / limits.warp_size;
  if (limits.warps != 0 && limits.threads != 0 && limits.warps != warps)
    refuse_key(section, "warps",
               fmt::format("must be {}: {} threads in warps of {}", warps, limits.threads, limits.warp_size));
  if (limits.threads_per_block > limits.threads)
    refuse_key(section, "threads_per_block", "more threads than the SM has");
  if (limits.register_granularity != 0 && limits.registers % limits.register_granularity != 0)
    refuse_key(section, "registers",
               fmt::format("must be a multiple of register_granularity, {}", limits.register_granularity));
  if (std::uint64_t{limits.registers_per_thread} * limits.warp_size > limits.registers)
    refuse_key(section, "registers_per_thread",
               "a warp of such threads needs more registers than the SM has");
  if (limits.shared_reserved > limits.shared_bytes)
    refuse_key(section, "shared_reserved", "more than the shared memory of the SM");
  if (limits.shared_granularity != 0 && limits.shared_bytes % limits.shared_granularity != 0)
    refuse_key(section, "shared_memory",
               fmt::format("must be a multiple of shared_granularity, {}B", limits.shared_granularity));
  if (!limits.carve_outs.empty() && limits.carve_outs.back() < limits.shared_bytes)
    refuse_key(section, "shared_memory", "more than the largest of shared_memory.carve_outs");
  if (sm.executes() && (limits.warp_size != kLanes || limits.warps > kMostWarps))
    section.problem(fmt::format("a cycle SM has warps of {} lanes, at most {} of them", kLanes, kMostWarps));
}

// Returns the bytes of a channel, or 0 if its address map is wrong. The reader of the map has recorded that
// problem.
std::uint64_t channel_bytes(const DramMapSpec& map) {
  try {
    return LocalMap(map).bytes();
  } catch (const std::invalid_argument&) {
    return 0;
  }
}

void check_memory(const config::Section& root, const GpuSpec& spec) {
  const MemoryPathSpec& memory = *spec.memory;
  const DramMapSpec& map = memory.dram.map;
  const config::Section dram = root.section("dram");
  const L2Spec& l2 = memory.l2;
  if (spec.sm.executes() && map.burst_bytes < std::max(l2.fill_bytes, L2Spec::kSectorBytes))
    refuse_key(dram, "burst", fmt::format("must be at least {}B, which L2 asks for at once", l2.fill_bytes));
  if (l2.dram_queue < l2.most_transfers())
    refuse_key(root.section("l2"), "dram_queue",
               fmt::format("must be at least {} with bursts of {}B", l2.most_transfers(), l2.burst_bytes));
  if (const std::string why = spec.energy ? energy_misfit(*spec.energy, memory.dram) : ""; !why.empty())
    refuse_key(dram, "refresh", why);
  const std::uint64_t channel = channel_bytes(map);
  if (channel == 0 || map.channels == 0) return;
  if (spec.device_bytes / map.channels > channel || spec.device_bytes > map.channels * channel)
    refuse_key(root, "device_memory",
               fmt::format("more than the DRAM holds: {} channels of {} MiB", map.channels, channel >> 20U));
  const std::uint64_t slices = memory.l2.slices_per_channel;
  if (slices != 0 && memory.l2.slice_bit < 64 && (slices > channel >> memory.l2.slice_bit))
    refuse_key(root.section("l2"), "slice_bit",
               fmt::format("the numbers of {} slices lie beyond a channel's {} MiB", slices, channel >> 20U));
}

}  // namespace

void check_platform(const config::Section& root, const GpuSpec& spec) {
  check_sm(root.section("sm"), spec.sm);
  if (spec.memory) check_memory(root, spec);
}

}  // namespace heddle
