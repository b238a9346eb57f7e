#include "platforms/c_api/boundary_handle.h"

#include <fmt/format.h>

#include <charconv>

#include "models/core/base/systemc_reports.h"
#include "models/core/config/config.h"
#include "platforms/c_api/counter_names.h"
#include "platforms/c_api/elaboration.h"
#include "platforms/c_api/open_options.h"
#include "platforms/experiment/rtl_libraries.h"
#include "platforms/load/platform_loader.h"

namespace heddle {

namespace {

constexpr std::uint64_t kDefaultLatency = 100;  // cycles of the L2's clock; a guess
constexpr const char* kSlice = "l2_";
constexpr const char* kChannel = "dram";

GpuSpec read_gpu(const std::string& platform, const OpenOptions& options) {
  config::Document document = load_platform_document(platform);
  options.overrides.apply_to_platform(document);
  GpuSpec gpu = read_platform(document.root());
  document.finish();
  options.overrides.apply_to_policies(gpu.policies);
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
  MemoryBlocks blocks(boundary.gpu, boundary.policies, boundary.channels, *boundary.l2, *boundary.dram);
  std::unique_ptr<L2Block> slice = blocks.l2_slice(boundary.index);
  boundary.far_side = std::make_unique<FarSide>((boundary.name + "_far_side").c_str(), *boundary.l2, latency);
  slice->dram().bind(boundary.far_side->socket());
  boundary.block = std::move(slice);
  boundary.clock = boundary.l2.get();
}

void build_channel(Boundary& boundary) {
  MemoryBlocks blocks(boundary.gpu, boundary.policies, boundary.channels, *boundary.l2, *boundary.dram);
  boundary.block = blocks.dram_channel(boundary.index);
  boundary.clock = boundary.dram.get();
}

void bind_sources(Boundary& boundary, std::uint32_t ports) {
  for (std::uint32_t i = 0; i < ports; ++i) {
    const std::string name = fmt::format("{}_source{}", boundary.name, i);
    boundary.sources.push_back(std::make_unique<BoundarySource>(name.c_str(), *boundary.clock));
    boundary.sources.back()->socket().bind(boundary.block->port(i));
  }
}

}  // namespace

std::unique_ptr<BoundaryHandle> BoundaryHandle::open(const std::string& platform, const std::string& block,
                                                     const std::string& options) {
  const OpenOptions read = read_open_options(options, {"--set", "--policy", "--latency"});
  GpuSpec gpu = read_gpu(platform, read);
  const std::uint32_t slices = gpu.memory->slices();
  const std::uint32_t channels = gpu.memory->dram.map.channels;
  const auto slice = index_of(block, kSlice, slices);
  const auto channel = index_of(block, kChannel, channels);
  if (!slice && !channel)
    throw BadCall(fmt::format("{} has no block '{}'; known: {}0 to {}{}, {}0 to {}{}", gpu.name, block,
                              kSlice, kSlice, slices - 1, kChannel, kChannel, channels - 1));
  if (channel && read.latency) throw BadCall("--latency is that of the far side of an L2 slice");
  make_rtl_libraries(gpu);
  claim_boundary();
  route_systemc_reports();
  // The boundary is never deleted, because SystemC keeps the processes of its modules: see elaboration.h.
  static auto& all = *new std::vector<std::unique_ptr<Boundary>>;
  all.push_back(std::make_unique<Boundary>(gpu, block));
  Boundary& own = *all.back();
  own.index = slice ? *slice : *channel;
  if (slice)
    build_slice(own, read.latency.value_or(kDefaultLatency));
  else
    build_channel(own);
  bind_sources(own, slice ? 1 : gpu.memory->l2.slices_per_channel);
  own.stats.attach(own.block->stats());
  if (own.policies.any()) own.stats.attach(own.policies.stats());
  own.root.attach(own.stats);
  return std::unique_ptr<BoundaryHandle>(new BoundaryHandle(own));
}

Boundary::Boundary(const GpuSpec& spec, std::string block_name)
    : gpu(spec),
      name(std::move(block_name)),
      channels(gpu.memory->dram.map),
      policies(gpu.policies, gpu.rtl_in_use(), gpu.rtl, gpu.clocks()),
      l2(std::make_unique<ClockDomain>((name + "_l2_clock").c_str(), gpu.memory->l2_hz)),
      dram(std::make_unique<ClockDomain>((name + "_dram_clock").c_str(), gpu.memory->dram_hz, *l2)) {}

void BoundaryHandle::reset() {
  boundary_.l2->reset();
  for (const auto& source : boundary_.sources) source->reset();
  boundary_.block->reset();
  if (boundary_.far_side) boundary_.far_side->reset();
  boundary_.policies.reset();
  boundary_.root.reset();
}

std::string BoundaryHandle::list(const std::string& what) {
  if (what == "counters") return table_of(stats());
  if (what == "clocks") return fmt::format("{}\t{:.0f}\n", clock_name(), boundary_.clock->frequency_hz());
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
  if (name != clock_name())
    throw BadCall(fmt::format("{} has no clock '{}'; known: {}", boundary_.name, name, clock_name()));
  return standing_at(*boundary_.clock).value;
}

std::uint64_t BoundaryHandle::counter(const std::string& name) {
  return counter_of(stats(), name);
}

const Group& BoundaryHandle::stats() {
  boundary_.block->update_stats(boundary_.clock->now());
  return boundary_.root;
}

bool BoundaryHandle::send(const BoundaryRequest& request) {
  check(request);
  const Address local = boundary_.channels.place(request.address).local;
  const std::uint32_t port = is_channel() ? slice_in_channel(boundary_.gpu.memory->l2, local) : 0;
  return boundary_.sources[port]->send(request, standing_at(*boundary_.clock));
}

std::optional<std::uint64_t> BoundaryHandle::take() {
  for (const auto& source : boundary_.sources)
    if (const std::optional<std::uint64_t> id = source->take()) return id;
  return std::nullopt;
}

void BoundaryHandle::check(const BoundaryRequest& request) const {
  const MemoryPathSpec& path = *boundary_.gpu.memory;
  const std::uint32_t most = is_channel() ? path.dram.map.burst_bytes : kLineBytes;
  const auto is_whole = [](std::uint64_t bytes) { return bytes % kSectorBytes == 0; };
  if (request.bytes == 0 || !is_whole(request.bytes) || !is_whole(request.address) ||
      request.address % most + request.bytes > most)
    throw BadCall(
        fmt::format("{} takes whole sectors of {} bytes within {} bytes; a request has {} bytes at {:#x}",
                    boundary_.name, kSectorBytes, most, request.bytes, request.address));
  if (request.address >= boundary_.gpu.device_bytes)
    throw BadCall(fmt::format("address {:#x} is beyond the device memory of {} bytes", request.address,
                              boundary_.gpu.device_bytes));
  const std::uint32_t index = is_channel() ? boundary_.channels.place(request.address).channel
                                           : slice_of(path, boundary_.channels, request.address);
  if (index != boundary_.index)
    throw BadCall(fmt::format("address {:#x} belongs to {}{}", request.address,
                              is_channel() ? kChannel : kSlice, index));
}

}  // namespace heddle
