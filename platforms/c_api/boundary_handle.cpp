#include "platforms/c_api/boundary_handle.h"

#include <fmt/format.h>

#include <charconv>

#include "models/core/base/systemc_reports.h"
#include "models/core/config/config.h"
#include "platforms/c_api/counter_names.h"
#include "platforms/c_api/elaboration.h"
#include "platforms/c_api/open_options.h"
#include "platforms/load/platform_loader.h"

namespace heddle {

namespace {

constexpr std::uint64_t kDefaultLatency = 100;
constexpr const char* kSlice = "l2_";
constexpr const char* kChannel = "dram";

GpuSpec read_gpu(const std::string& platform, const OpenOptions& options) {
  config::Document document = load_platform_document(platform);
  for (const std::string& set : options.overrides.sets) set_platform_key(document, set);
  GpuSpec gpu = read_platform(document.root());
  document.finish();
  for (const std::string& assignment : options.overrides.policies) override_policy(assignment, gpu.policies);
  if (const auto wrong = misfit(gpu, gpu.policies)) throw BadCall(wrong->message);
  if (!gpu.memory) throw BadCall(fmt::format("{} has no memory path, and so no blocks of one", gpu.name));
  return gpu;
}

// Returns the number behind the prefix, which is below `count`.
std::optional<std::uint32_t> index_of(const std::string& block, const std::string& prefix,
                                      std::uint32_t count) {
  if (block.rfind(prefix, 0) != 0) return std::nullopt;
  std::uint32_t index = 0;
  const char* const end = block.data() + block.size();
  const auto [stopped, error] = std::from_chars(block.data() + prefix.size(), end, index);
  if (error != std::errc() || stopped != end || index >= count) return std::nullopt;
  return index;
}

void build_slice(Boundary& boundary, std::uint64_t latency) {
  const MemoryPathSpec& spec = boundary.spec;
  const std::string& name = boundary.block;
  boundary.clock = std::make_unique<ClockDomain>((name + "_l2").c_str(), spec.l2_hz);
  const auto local = [&boundary, channels = ChannelMap(spec.dram.map)](Address physical) {
    return address_in_slice(boundary.spec.l2, channels.place(physical).local);
  };
  boundary.slice = std::make_unique<L2Slice>(name.c_str(), spec.l2, L2Slice::Deps{*boundary.clock, local});
  boundary.far_side = std::make_unique<FarSide>((name + "_far").c_str(), *boundary.clock, latency);
  boundary.slice->dram().bind(boundary.far_side->socket());
  boundary.gpu.attach(boundary.slice->stats());
}

template <class Interface>
std::unique_ptr<Interface> policy_of(const GpuSpec& gpu) {
  const PolicyChoice& choice = gpu.policies.at(Interface::kDecision);
  if (!rtl_block_of(choice.name).empty())
    throw BadCall(fmt::format("{}: a boundary has no blocks in RTL; --policy {}=NAME names another policy",
                              choice.name, Interface::kDecision));
  return PolicyRegistry<Interface>::make(choice);
}

void build_channel(Boundary& boundary, std::unique_ptr<DramScheduler> scheduler,
                   std::unique_ptr<PagePolicy> page_policy) {
  const MemoryPathSpec& spec = boundary.spec;
  const std::string& name = boundary.block;
  boundary.clock = std::make_unique<ClockDomain>((name + "_clock").c_str(), spec.dram_hz);
  boundary.channel =
      std::make_unique<MemoryController>(name.c_str(), spec.dram, boundary.index, 1, std::move(scheduler),
                                         std::move(page_policy), *boundary.clock);
  boundary.gpu.attach(boundary.channel->stats());
}

}  // namespace

std::unique_ptr<BoundaryHandle> BoundaryHandle::open(const std::string& platform, const std::string& block,
                                                     const std::string& options) {
  const OpenOptions read = read_open_options(options, {"--set", "--policy", "--latency"});
  const GpuSpec gpu = read_gpu(platform, read);
  const std::uint32_t slices = gpu.memory->slices();
  const std::uint32_t channels = gpu.memory->dram.map.channels;
  const auto slice = index_of(block, kSlice, slices);
  const auto channel = index_of(block, kChannel, channels);
  if (!slice && !channel)
    throw BadCall(fmt::format("{} has no block '{}'; known: {}0 to {}{}, {}0 to {}{}", gpu.name, block,
                              kSlice, kSlice, slices - 1, kChannel, kChannel, channels - 1));
  if (channel && read.latency) throw BadCall("--latency is that of the far side of an L2 slice");
  auto scheduler = policy_of<DramScheduler>(gpu);
  auto page_policy = policy_of<PagePolicy>(gpu);
  claim_boundary();
  route_systemc_reports();
  // It stays to the end of the process: see elaboration.h.
  static auto& all = *new std::vector<std::unique_ptr<Boundary>>;
  all.push_back(std::make_unique<Boundary>());
  Boundary& own = *all.back();
  own.block = block;
  own.spec = *gpu.memory;
  own.device_bytes = gpu.device_bytes;
  own.index = slice ? *slice : *channel;
  if (slice)
    build_slice(own, read.latency.value_or(kDefaultLatency));
  else
    build_channel(own, std::move(scheduler), std::move(page_policy));
  own.source = std::make_unique<BoundarySource>((block + "_source").c_str(), *own.clock);
  own.source->socket().bind(slice ? own.slice->crossbar() : own.channel->port(0));
  own.root.attach(own.gpu);
  return std::unique_ptr<BoundaryHandle>(new BoundaryHandle(own));
}

void BoundaryHandle::reset() {
  boundary_.clock->reset();
  boundary_.source->reset();
  if (boundary_.slice) boundary_.slice->reset();
  if (boundary_.far_side) boundary_.far_side->reset();
  if (boundary_.channel) boundary_.channel->reset();
  boundary_.root.reset();
}

std::string BoundaryHandle::list(const std::string& what) {
  if (what == "counters") return table_of(stats());
  if (what == "clocks")
    return fmt::format("{}\t{:.0f}\n", boundary_.slice ? "l2" : "dram", boundary_.clock->frequency_hz());
  refuse_list(what, "counters, clocks");
}

bool BoundaryHandle::step(std::uint64_t cycles) {
  check_step(cycles);
  return run_to(standing_at(*boundary_.clock).value + cycles);
}

bool BoundaryHandle::run_to(std::uint64_t cycle) {
  check_step(cycle);
  if (cycle == 0) return false;
  const sc_core::sc_time end = boundary_.clock->time_of(Cycle{cycle}) - sc_core::sc_get_time_resolution();
  if (sc_core::sc_time_stamp() < end)
    sc_core::sc_start(end - sc_core::sc_time_stamp(), sc_core::SC_RUN_TO_TIME);
  return false;
}

bool BoundaryHandle::run_to_end() {
  throw BadCall("a boundary has no end; heddle_run() needs a cycle");
}

std::uint64_t BoundaryHandle::now(const std::string& name) {
  const std::string own = boundary_.slice ? "l2" : "dram";
  if (name != own) throw BadCall(fmt::format("{} has no clock '{}'; known: {}", boundary_.block, name, own));
  return standing_at(*boundary_.clock).value;
}

std::uint64_t BoundaryHandle::counter(const std::string& name) {
  return counter_of(stats(), name);
}

const Group& BoundaryHandle::stats() {
  if (boundary_.slice) boundary_.slice->update_stats(boundary_.clock->now());
  if (boundary_.channel) boundary_.channel->update_stats();
  return boundary_.root;
}

bool BoundaryHandle::send(const BoundaryRequest& request) {
  check(request);
  return boundary_.source->send(request, standing_at(*boundary_.clock));
}

void BoundaryHandle::check(const BoundaryRequest& request) const {
  const std::uint32_t most = boundary_.slice ? kLineBytes : boundary_.spec.dram.map.burst_bytes;
  const auto is_whole = [](std::uint64_t bytes) { return bytes % kSectorBytes == 0; };
  if (request.bytes == 0 || !is_whole(request.bytes) || !is_whole(request.address) ||
      request.address % most + request.bytes > most)
    throw BadCall(
        fmt::format("{} takes whole sectors of {} bytes within {} bytes; a request has {} bytes at {:#x}",
                    boundary_.block, kSectorBytes, most, request.bytes, request.address));
  if (request.address >= boundary_.device_bytes)
    throw BadCall(fmt::format("address {:#x} is beyond the device memory of {} bytes", request.address,
                              boundary_.device_bytes));
  const ChannelPlace place = ChannelMap(boundary_.spec.dram.map).place(request.address);
  const L2Spec& l2 = boundary_.spec.l2;
  const std::uint32_t index = boundary_.channel
                                  ? place.channel
                                  : place.channel * l2.slices_per_channel + slice_in_channel(l2, place.local);
  if (index != boundary_.index)
    throw BadCall(fmt::format("address {:#x} belongs to {}{}", request.address,
                              boundary_.channel ? kChannel : kSlice, index));
}

}  // namespace heddle
