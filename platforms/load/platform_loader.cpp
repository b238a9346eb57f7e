#include "platforms/load/platform_loader.h"

#include <fmt/format.h>

#include <cmath>

#include "models/core/config/data_path.h"
#include "models/sm/warp_table.h"
#include "platforms/load/read_cycle_sm.h"
#include "platforms/load/read_dram.h"
#include "platforms/load/read_memory_path.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"
#include "policies/registry.h"

namespace heddle {

namespace {

constexpr std::int64_t kMost = 1 << 20;
constexpr std::int64_t kMostStall = 1'000'000'000;  // core cycles: a second or so
constexpr double kLeastHz = 1e3;  // periods are whole picoseconds: to a thousandth or better
constexpr double kMostHz = 1e10;
constexpr std::uint64_t kMostLatencyPs = 1000000000000;

std::uint32_t bytes(const config::Section& section, const char* key) {
  const std::uint64_t value = section.bytes(key);
  if (value > (1u << 30)) section.value(key).problem("more than 1 GiB");
  return static_cast<std::uint32_t>(value);
}

double clock(const config::Section& section, const char* key) {
  const double hz = section.frequency_hz(key);
  if (section.has(key) && hz > 0 && (hz < kLeastHz || hz > kMostHz))
    section.value(key).problem("must lie in 1kHz .. 10GHz");
  return hz;
}

std::uint64_t latency(const config::Section& section, const char* key) {
  const std::uint64_t ps = section.time_ps(key);
  if (ps > kMostLatencyPs) section.value(key).problem("more than 1s");
  return ps;
}

HostSpec read_host(const config::Section& section) {
  HostSpec host;
  host.touch_bytes_per_second = section.bytes_per_second("touch_bandwidth");
  host.memory_latency_ps = latency(section, "memory_latency");
  host.mmio_latency_ps = latency(section, "mmio_latency");
  return host;
}

QueueSpec read_queues(const config::Section& section) {
  QueueSpec queues;
  queues.count = number(section, "count", 1, 128);
  queues.entries = number(section, "entries", 1, kMost);
  queues.streams = number(section, "streams", 1, 4096);
  queues.events = number(section, "events", 1, 65536);
  return queues;
}

PcieSpec read_pcie(const config::Section& section) {
  PcieSpec pcie;
  pcie.lanes = number(section, "lanes", 2, 256);
  pcie.bytes_per_lane = number(section, "bytes_per_lane", 1, 64);
  pcie.burst_bytes = bytes(section, "burst");
  pcie.latency = section.cycles("latency", {0, kMost});
  if (pcie.lanes % 2 != 0) section.value("lanes").problem("must be even: half of the lanes go each way");
  if (section.has("burst") && (pcie.burst_bytes < 64 || pcie.burst_bytes > 65536))
    section.value("burst").problem("must lie in 64B .. 64KiB");
  return pcie;
}

EngineSpec read_engine(const config::Section& section) {
  EngineSpec engine;
  engine.contexts = number(section, "contexts", 1, 1024);
  engine.ksrs = number(section, "ksrs", 1, 1024);
  engine.kernel_launch_latency = section.cycles("kernel_launch_latency", {1, kMost});
  engine.sm_setup_latency = section.cycles("sm_setup_latency", {1, kMost});
  engine.context_register_bytes = bytes(section, "context_registers");
  engine.setup_bytes_per_cycle = number(section, "setup_bytes_per_cycle", 1, 4096);
  engine.block_issue_latency = section.cycles("block_issue_latency", {2, kMost});
  engine.block_placement = section.choice("block_placement", {"breadth", "packed"}) == "packed"
                               ? BlockPlacement::kPacked
                               : BlockPlacement::kBreadth;
  if (section.has("sm_setup_latency") && engine.sm_setup_latency <= engine.block_issue_latency)
    section.value("sm_setup_latency")
        .problem("must be longer than block_issue_latency: both take the same way");
  return engine;
}

SmSpec read_sm(const config::Section& section) {
  SmSpec sm;
  sm.count = number(section, "count", 1, 1024);
  SmLimits& limits = sm.limits;
  limits.threads = number(section, "threads", 1, kMost);
  limits.warps = number(section, "warps", 1, kMost);
  limits.warp_size = number(section, "warp_size", 1, 1024);
  limits.registers = number(section, "registers", 1, 1 << 24);
  limits.register_granularity = number(section, "register_granularity", 1, 65536);
  limits.shared_bytes = bytes(section, "shared_memory");
  limits.shared_granularity = bytes(section, "shared_granularity");
  limits.block_slots = number(section, "block_slots", 1, 1024);
  limits.threads_per_block = number(section, "threads_per_block", 1, kMost);
  limits.registers_per_thread = number(section, "registers_per_thread", 1, 65536);
  if (section.has("shared_granularity") && limits.shared_granularity == 0)
    section.value("shared_granularity").problem("must be at least 1B");
  if (limits.threads_per_block > limits.threads)
    section.value("threads_per_block").problem("more threads than the SM has");
  return sm;
}

// The GPU as the constraints of policies see it; 0 applications: not known.
GpuDescription describe(const GpuSpec& spec, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = spec.sm.count;
  gpu.contexts = spec.engine.contexts;
  gpu.ksrs = spec.engine.ksrs;
  gpu.hardware_queues = spec.queues.count;
  gpu.block_slots = spec.sm.limits.block_slots;
  gpu.warp_slots = spec.sm.limits.warps;
  gpu.has_cycle_sms = spec.sm.cycle.has_value();
  if (spec.sm.cycle) gpu.warp_schedulers = spec.sm.cycle->schedulers;
  gpu.has_dram = spec.memory.has_value();
  gpu.applications = applications;
  return gpu;
}

}  // namespace

void read_policies(const config::Section& section, std::map<std::string, PolicyChoice>& policies,
                   std::uint64_t window_cycles) {
  for (const std::string& decision : section.keys()) {
    if (decision == kLabelOfPolicies) continue;
    const config::Value value = section.value(decision);
    if (const char* place = PolicyCatalogue::instance().chosen_elsewhere(decision)) {
      value.problem(place);
      continue;
    }
    const PolicyChoice choice = read_policy(decision, value, window_cycles);
    if (choice.name.empty() && !value.is_scalar()) continue;
    try {
      PolicyCatalogue::instance().resolve(decision, choice);
      policies[decision] = choice;
    } catch (const PolicyError& error) {
      value.problem(error.what());
    }
  }
}

std::string override_policy(const std::string& assignment, std::map<std::string, PolicyChoice>& policies) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw config::Error({fmt::format("--policy {}: expected decision=name", assignment)});
  std::string decision = assignment.substr(0, equals);
  if (const char* place = PolicyCatalogue::instance().chosen_elsewhere(decision))
    throw config::Error({fmt::format("--policy {}: {}", assignment, place)});
  const PolicyChoice choice{assignment.substr(equals + 1), {}};
  try {
    PolicyCatalogue::instance().resolve(decision, choice);
  } catch (const PolicyError& error) {
    throw config::Error({fmt::format("--policy {}: {}", assignment, error.what())});
  }
  policies[decision] = choice;
  return decision;
}

// Half the DRAM's bandwidth, where the platform describes it and says nothing else: see DmaSpec.
void read_device_rate(const config::Section& dma, GpuSpec& spec) {
  constexpr double kLeast = 1e6;
  double& rate = spec.dma.device_bytes_per_second;
  if (dma.has("device_rate")) {
    rate = dma.bytes_per_second("device_rate");
    if (rate > 0 && rate < kLeast) dma.value("device_rate").problem("must be at least 1MB/s");
  } else if (spec.memory && spec.memory->peak_bytes_per_second() > 0) {
    rate = spec.memory->peak_bytes_per_second() / 2;
  }
}

GpuSpec read_platform(const config::Section& root) {
  GpuSpec spec;
  spec.name = root.text("platform");
  if (spec.name.empty() && root.has("platform")) root.value("platform").problem("needs a name");
  root.text("description");
  spec.compute_capability =
      static_cast<std::uint32_t>(std::lround(10 * root.real("compute_capability", {1, 99}, 0)));
  const config::Section clocks = root.section("clocks");
  spec.core_hz = clock(clocks, "core");
  spec.pcie_hz = clock(clocks, "pcie");
  spec.host = read_host(root.section("host"));
  spec.device_bytes = root.bytes("device_memory");
  spec.stall_limit = root.cycles("stall_limit", {1, kMostStall}, spec.stall_limit);
  spec.queues = read_queues(root.section("queues"));
  spec.pcie = read_pcie(root.section("pcie"));
  const config::Section dma = root.section("dma");
  spec.dma.engines = number(dma, "engines", 1, 2);
  spec.dma.transfers = number(dma, "transfers", 1, 4096);
  spec.engine = read_engine(root.section("engine"));
  const config::Section sm = root.section("sm");
  spec.sm = read_sm(sm);
  // What a cycle SM needs is read wherever it stands, so that sm.model can be changed either way.
  const bool cycle = sm.choice("model", {"timed", "cycle"}) == "cycle";
  if (cycle || root.has("pipeline")) {
    spec.sm.cycle = read_cycle_sm(root);
    if (spec.sm.limits.warp_size != kLanes || spec.sm.limits.warps > kMostWarps)
      sm.problem(fmt::format("a cycle SM has warps of {} lanes, at most {} of them", kLanes, kMostWarps));
    if (!cycle) spec.sm.cycle.reset();
  }
  if (cycle || root.has("dram")) {
    MemoryPathSpec& memory = spec.memory.emplace();
    memory.noc = read_crossbar(root.section("crossbar"));
    memory.l2 = read_l2(root.section("l2"));
    memory.dram = read_dram(root.section("dram"));
    if (cycle && root.section("dram").has("burst") && memory.dram.map.burst_bytes < L2Spec::kBurstBytes)
      root.section("dram").value("burst").problem(
          fmt::format("must be at least {}B, which L2 asks for at once", L2Spec::kBurstBytes));
    memory.page_bytes = read_page_size(root.section("memory"), spec.device_bytes);
    memory.icnt_hz = clock(clocks, "icnt");
    memory.l2_hz = clock(clocks, "l2");
    memory.dram_hz = clock(clocks, "dram");
  }
  read_device_rate(dma, spec);
  const config::Section policies = root.section("policies");
  read_policies(policies, spec.policies);
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  for (const std::string& decision : catalogue.decisions())
    if (root.has("policies") && !policies.has(decision) && catalogue.is_asked(decision, describe(spec, 0)))
      policies.problem("no policy for the decision '" + decision + "'");
  if (const auto found = misfit(spec, spec.policies)) policies.value(found->decision).problem(found->message);
  return spec;
}

std::optional<PolicyMisfit> misfit(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications) {
  const GpuDescription gpu = describe(spec, applications);
  for (const auto& [decision, choice] : policies) {
    const std::string why = PolicyCatalogue::instance().misfit(decision, choice, gpu);
    if (!why.empty()) return PolicyMisfit{decision, why};
  }
  return std::nullopt;
}

GpuSpec load_platform(const std::string& name_or_file) {
  config::Document document = config::Document::load(find_data("platforms", name_or_file));
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

}  // namespace heddle
