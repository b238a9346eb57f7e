#include "models/gpu/memory_blocks.h"

#include "models/dram/memory_controller.h"
#include "models/l2/l2_slice.h"
#include "models/rtl/interfaces/rtl_memory_shadow.h"

namespace heddle {

namespace {

// Requests that wait at a port of a channel in RTL; the model's channel has as many.
constexpr std::size_t kChannelQueue = 8;

// A block in RTL in place of the model's, or beside the one that `model` makes.
template <class MakeModel>
std::unique_ptr<L2Block> in_rtl(RtlBlock& block, const std::string& path, const MemoryPlace& place,
                                MakeModel model) {
  if (!block.shadows()) return std::make_unique<RtlMemoryBlock>(path.c_str(), block, place);
  return std::make_unique<RtlMemoryShadow>((path + "_rtl").c_str(), block, place, model(), path);
}

}  // namespace

std::uint32_t slice_of(const MemoryPathSpec& path, const ChannelMap& channels, Address physical) {
  const ChannelPlace place = channels.place(physical);
  return place.channel * path.l2.slices_per_channel + slice_in_channel(path.l2, place.local);
}

MemoryBlocks::MemoryBlocks(const GpuSpec& spec, RtlPolicies& policies, const ChannelMap& channels,
                           ClockDomain& l2, ClockDomain& dram)
    : spec_(spec), path_(*spec.memory), policies_(policies), channels_(channels), l2_(l2), dram_(dram) {}

MemoryPlace MemoryBlocks::slice_place(std::uint32_t i) const {
  const std::uint32_t channel = i / path_.l2.slices_per_channel;
  const std::uint32_t slice = i % path_.l2.slices_per_channel;
  // The functions outlive this object, and not the memory path that owns the map.
  const auto local = [l2 = path_.l2, &channels = channels_](Address physical) {
    return address_in_slice(l2, channels.place(physical).local);
  };
  const auto physical = [l2 = path_.l2, &channels = channels_, channel, slice](Address in_slice) {
    return channels.physical({channel, address_in_channel(l2, slice, in_slice)});
  };
  const auto owns = [path = path_, &channels = channels_, bytes = spec_.device_bytes, i](Address address) {
    return address < bytes && slice_of(path, channels, address) == i;
  };
  return {l2_,
          1,
          path_.l2.request_queue,
          path_.l2.burst_bytes,
          path_.l2_link.latency,
          path_.dram_link.latency,
          local,
          physical,
          owns};
}

MemoryPlace MemoryBlocks::channel_place(std::uint32_t i) const {
  const auto local = [&channels = channels_](Address physical) { return channels.place(physical).local; };
  const auto physical = [&channels = channels_, i](Address in_channel) {
    return channels.physical({i, in_channel});
  };
  const auto owns = [&channels = channels_, bytes = spec_.device_bytes, i](Address address) {
    return address < bytes && channels.place(address).channel == i;
  };
  return {dram_,
          path_.l2.slices_per_channel,
          kChannelQueue,
          path_.dram.map.burst_bytes,
          path_.dram_link.latency,
          1,
          local,
          physical,
          owns};
}

std::unique_ptr<L2Block> MemoryBlocks::l2_slice(std::uint32_t i) {
  const std::string path = "l2_" + std::to_string(i);
  const MemoryPlace place = slice_place(i);
  const auto model = [&] {
    const std::uint32_t half = i < path_.slices() / 2 ? 0 : 1;
    return std::make_unique<L2Slice>(path.c_str(), path_.l2, L2Slice::Deps{l2_, place.local, half});
  };
  if (RtlBlock* block = policies_.interface_block(path_.l2.block, path))
    return in_rtl(*block, path, place, model);
  return model();
}

std::unique_ptr<MemoryBlock> MemoryBlocks::dram_channel(std::uint32_t i) {
  const std::string path = "dram" + std::to_string(i);
  const auto policies = [&](const std::string& controller) {
    return DramPolicies{policies_.dram_scheduler(controller, LocalMap(path_.dram.map).banks()),
                        PolicyRegistry<PagePolicy>::make(spec_.policies.at(PagePolicy::kDecision))};
  };
  const auto model = [&] {
    return std::make_unique<MemoryController>(path.c_str(), path_.dram, i, path_.l2.slices_per_channel,
                                              policies, dram_);
  };
  if (RtlBlock* block = policies_.interface_block(path_.dram.block, path))
    return in_rtl(*block, path, channel_place(i), model);
  return model();
}

}  // namespace heddle
