#include "platforms/load/platform_loader.h"

#include <cmath>

#include "models/core/base/log.h"
#include "models/core/config/data_path.h"
#include "models/gpu/instance_spec.h"
#include "platforms/load/check_platform.h"
#include "platforms/load/read_arithmetic.h"
#include "platforms/load/read_bandwidth.h"
#include "platforms/load/read_cycle_sm.h"
#include "platforms/load/read_dram.h"
#include "platforms/load/read_energy.h"
#include "platforms/load/read_instances.h"
#include "platforms/load/read_memory_path.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"
#include "platforms/load/read_rtl.h"
#include "policies/registry.h"

namespace heddle {

namespace {

constexpr const char* kEnergy = "energy";
constexpr std::int64_t kMost = 1 << 20;
constexpr double kMostFaulty = 0.9;
constexpr std::int64_t kMostBytes = 1 << 30;
constexpr std::int64_t kMostStall = 1'000'000'000;  // core cycles, about a second
constexpr std::int64_t kMostLatencyPs = 1'000'000'000'000;
constexpr double kLeastDeviceRate = 1e6;  // bytes per second

// Returns a frequency in Hz. A period is rounded to whole picoseconds, so the range bounds its relative error
// by 0.5 %.
double clock(const config::Section& section, const config::Key& key) {
  return section.frequency_hz(key, {1e3, 1e10});
}

// Returns the CPU time at `key`, which is `fallback` if the key is absent.
std::uint64_t cpu_time(const config::Section& section, const config::Key& key, std::uint64_t fallback,
                       const char* told) {
  const std::optional<config::Value> value = section.optional(key, "time", told);
  if (!value) return fallback;
  const std::uint64_t ps = value->time_ps();
  if (ps > kMostLatencyPs) value->problem("more than 1s");
  return ps;
}

void read_call_times(const config::Section& section, HostSpec& host) {
  constexpr const char* kAsCalls = "host.call_latency";
  host.call_latency_ps = cpu_time(
      section, {"call_latency", "CPU time of a call of the runtime that has no latency of its own"}, 0, "0s");
  host.launch_latency_ps =
      cpu_time(section, {"launch_latency", "CPU time of a launch"}, host.call_latency_ps, kAsCalls);
  host.copy_latency_ps =
      cpu_time(section, {"copy_latency", "CPU time of a copy or a fill before its command is on its way"},
               host.call_latency_ps, kAsCalls);
  host.allocation_latency_ps =
      cpu_time(section, {"allocation_latency", "CPU time of an allocation or a free of device memory"},
               host.call_latency_ps, kAsCalls);
  host.allocation_bytes_per_second = section.bytes_per_second(
      {"allocation_bandwidth", "rate at which allocations and frees map memory, beside allocation_latency"},
      {kLeastDeviceRate}, "in no time");
  host.pooled_allocation_bytes = section.bytes(
      {"pooled_allocation", "allocations of up to so much take call_latency, and nothing more"}, 0);
  host.return_latency_ps = cpu_time(
      section, {"return_latency", "CPU time from the end of what a call waited for to its return"}, 0, "0s");
  host.submission_latency_ps = cpu_time(
      section,
      {"submission_latency", "CPU time of each decision of a submission policy, on a core of its own"}, 0,
      "0s");
  host.context_creation_ps = cpu_time(
      section, {"context_creation", "CPU time of the first call of the runtime, beside its own"}, 0, "0s");
}

void read_cores(const config::Section& section, HostSpec& host) {
  host.cores = static_cast<std::uint32_t>(section.integer(
      {"cores", "cores that the processes share; 0: a core for each process", "cores"}, {0, 4096}, 0));
  host.time_slice_ps = cpu_time(
      section, {"time_slice", "time after which a process leaves its core to one that waits; 0: never"}, 0,
      "0s");
  host.wait = section.choice({"wait", "what a process does on its core while it waits for the GPU"},
                             {"spin", "block"}, "spin") == "block"
                  ? HostWait::kBlock
                  : HostWait::kSpin;
}

HostSpec read_host(const config::Section& section) {
  HostSpec host;
  host.touch_bytes_per_second =
      section.bytes_per_second({"touch_bandwidth", "rate at which a CPU phase passes over its data"});
  host.memory_latency_ps =
      section.time_ps({"memory_latency", "latency of system memory"}, {0, kMostLatencyPs});
  host.mmio_latency_ps =
      section.time_ps({"mmio_latency", "latency of one access to a GPU register"}, {0, kMostLatencyPs});
  read_call_times(section, host);
  read_cores(section, host);
  return host;
}

QueueSpec read_queues(const config::Section& section) {
  QueueSpec queues;
  queues.count = number(
      section, {"count", "hardware queues, what CUDA_DEVICE_MAX_CONNECTIONS is on a card", "queues"}, 1, 128);
  queues.entries =
      number(section, {"entries", "most commands that one queue's ring holds", "commands"}, 1, kMost);
  queues.streams = number(section, {"streams", "most streams of a context", "streams"}, 1, 4096);
  queues.events = number(section, {"events", "most events of a context", "events"}, 1, 65536);
  return queues;
}

PcieSpec read_pcie(const config::Section& section) {
  PcieSpec pcie;
  pcie.lanes =
      number(section, {"lanes", "lanes of both directions together, an even number", "lanes"}, 2, 256);
  pcie.bytes_per_lane =
      number(section, {"bytes_per_lane", "bytes that a lane moves each PCIe clock", "B"}, 1, 64);
  pcie.burst_bytes = size(section, {"burst", "largest packet of a transfer"}, 64, 65536);
  pcie.latency = section.cycles({"latency", "PCIe cycles added to each packet, beside its time on the wire"},
                                {0, kMost});
  pcie.is_shared =
      section.choice({"instances", "whether instances of a split GPU have a link each, or share one"},
                     {"own", "shared"}, "own") == "shared";
  if (pcie.lanes % 2 != 0) section.value("lanes").problem("must be even: half of the lanes go each way");
  return pcie;
}

EngineSpec read_engine(const config::Section& section) {
  EngineSpec engine;
  engine.contexts = number(section, {"contexts", "most contexts on the GPU", "contexts"}, 1, 1024);
  engine.ksrs = number(
      section, {"ksrs", "kernel status registers: kernels that are active at once", "kernels"}, 1, 1024);
  engine.kernel_launch_latency = section.cycles(
      {"kernel_launch_latency", "core cycles from a kernel's KSR to the active queue"}, {1, kMost});
  engine.kernel_end_latency = section.cycles({"kernel_end_latency",
                                              "core cycles from the end of a kernel's last block to the "
                                              "notice of it, behind which its stream goes on"},
                                             {0, kMost}, 0);
  engine.sm_setup_latency = section.cycles(
      {"sm_setup_latency",
       "core cycles to set up an SM for a kernel, beside its registers; more than block_issue_latency"},
      {1, kMost});
  engine.context_register_bytes =
      size(section, {"context_registers", "context registers that are written when an SM is set up"}, 0,
           kMostBytes);
  engine.setup_bytes_per_cycle = number(
      section, {"setup_bytes_per_cycle", "bytes of context registers written each core cycle", "B"}, 1, 4096);
  engine.block_issue_latency = section.cycles(
      {"block_issue_latency", "core cycles from the issue of a thread block to its start on the SM"},
      {2, kMost});
  const double blocks_per_cycle = section.real(
      {"blocks_per_cycle", "the most blocks that all SMs together get in a core cycle; 0: each SM gets one",
       "blocks"},
      {0, 1000}, 0);
  if (blocks_per_cycle > 0)
    engine.block_interval = static_cast<std::uint64_t>(std::llround(1000 / blocks_per_cycle));
  const std::string placement =
      section.choice({"block_placement", "one block for each SM in turn, or an SM filled before the next"},
                     {"breadth", "packed"});
  engine.block_placement = placement == "packed" ? BlockPlacement::kPacked : BlockPlacement::kBreadth;
  engine.sm_order =
      section.choice({"sm_order",
                      "of SMs that are equally free, a kernel gets the one with the lowest number, or "
                      "the next one after that of the last block"},
                     {"lowest", "next"}, "lowest") == "next"
          ? SmOrder::kNext
          : SmOrder::kLowest;
  if (section.has("sm_setup_latency") && engine.sm_setup_latency <= engine.block_issue_latency)
    section.value("sm_setup_latency")
        .problem("must be longer than block_issue_latency: both take the same way");
  return engine;
}

ClusterNetworkSpec read_cluster_network(const config::Section& section) {
  ClusterNetworkSpec network;
  const auto cycles = [&section](const char* key, const char* doc, std::uint32_t least,
                                 std::uint32_t standard) {
    return static_cast<std::uint32_t>(section.cycles({key, doc}, {least, 10000}, standard));
  };
  network.latency = cycles(
      "latency",
      "core cycles of a packet between two SMs of a GPC, 2 or more; 0: no network, a cluster has one block",
      0, 0);
  network.interval =
      cycles("interval", "core cycles that a packet of 32 bytes takes at the port of an SM", 1, 1);
  if (network.latency == 1) section.value("latency").problem("must be 0, or 2 or more");
  return network;
}

SmSpec read_sm(const config::Section& section) {
  SmSpec sm;
  sm.count = number(section, {"count", "SMs of the GPU", "SMs"}, 1, 1024);
  sm.tpc = number(section, {"tpc", "the most SMs of a TPC", "SMs"}, 1, 1024, 1);
  sm.gpc = number(section, {"gpc", "the most SMs of a GPC, whole TPCs", "SMs"}, 1, 1024, sm.tpc);
  sm.cpc =
      number(section, {"cpc", "the most SMs of a CPC, whole TPCs, a part of a GPC", "SMs"}, 1, 1024, sm.gpc);
  if (sm.gpc % sm.tpc != 0) section.value("gpc").problem(fmt::format("must be whole TPCs of {} SMs", sm.tpc));
  if (sm.cpc % sm.tpc != 0 || sm.gpc % sm.cpc != 0)
    section.value("cpc").problem(
        fmt::format("must be whole TPCs of {} SMs and divide a GPC of {}", sm.tpc, sm.gpc));
  SmLimits& limits = sm.limits;
  limits.threads = number(section, {"threads", "most resident threads of an SM", "threads"}, 1, kMost);
  limits.warps = number(section, {"warps", "most resident warps of an SM", "warps"}, 1, kMost);
  limits.warp_size = number(section, {"warp_size", "lanes of a warp", "threads"}, 1, 1024);
  limits.registers =
      number(section, {"registers", "registers of an SM, of 32 bits", "registers"}, 1, 1 << 24);
  limits.register_granularity = number(
      section, {"register_granularity", "registers are allocated in multiples of so many", "registers"}, 1,
      65536);
  limits.shared_bytes = size(section, {"shared_memory", "shared memory of an SM"}, 0, kMostBytes);
  limits.shared_granularity = size(
      section, {"shared_granularity", "shared memory is allocated in multiples of so much"}, 1, kMostBytes);
  limits.shared_reserved = static_cast<std::uint32_t>(section.bytes(
      {"shared_reserved", "shared memory that a block holds beside what its program states"}, 0));
  limits.block_slots =
      number(section, {"block_slots", "most resident thread blocks of an SM", "blocks"}, 1, 1024);
  limits.threads_per_block =
      number(section, {"threads_per_block", "most threads of a block", "threads"}, 1, kMost);
  limits.registers_per_thread =
      number(section, {"registers_per_thread", "most registers of a thread", "registers"}, 1, 65536);
  const config::Section faults = section.optional_section("faults");
  const auto faulty = [&faults](const char* resource, const char* doc) {
    return faults.real({resource, doc, "share"}, {0, kMostFaulty}, 0);
  };
  sm.faults.registers = faulty("registers", "registers of an SM that are faulty");
  sm.faults.shared_memory = faulty("shared_memory", "shared memory of an SM that is faulty");
  sm.faults.warp_slots = faulty("warp_slots", "warp slots of an SM that are faulty");
  sm.cluster = read_cluster_network(section.optional_section("cluster"));
  sm.update_cluster_sms();
  return sm;
}

DmaSpec read_dma(const config::Section& section) {
  DmaSpec dma;
  dma.engines =
      number(section, {"engines", "copy engines: one for both directions, or one for each", "engines"}, 1, 2);
  dma.transfers =
      number(section, {"transfers", "most transfers that one engine holds", "transfers"}, 1, 4096);
  return dma;
}

MemoryPathSpec read_memory(const config::Section& root, const config::Section& clocks, const SmSpec& sm,
                           std::uint64_t device_bytes) {
  MemoryPathSpec memory;
  memory.noc = read_crossbar(root.section("crossbar"));
  memory.l2 = read_l2(root.section("l2"));
  memory.dram = read_dram(root.section("dram"));
  memory.set_gpcs(sm.gpcs());
  if (memory.dram.map.burst_bytes == L2Spec::kSectorBytes) memory.l2.burst_bytes = L2Spec::kSectorBytes;
  const config::Section links = root.optional_section("links");
  memory.sm_link = read_link(links, "sm_crossbar", "between SMs and crossbar");
  memory.l2_link = read_link(links, "crossbar_l2", "between crossbar and L2 slices");
  memory.dram_link = read_link(links, "l2_dram", "between L2 slices and DRAM channels");
  memory.page_bytes = read_page_size(root.section("memory"), device_bytes);
  set_channel_bytes(root.section("dram"), device_bytes, memory.page_bytes, memory.dram.map);
  memory.icnt_hz = clock(clocks, {"icnt", "clock of the crossbar"});
  memory.l2_hz = clock(clocks, {"l2", "clock of the L2"});
  memory.dram_hz = clock(clocks, {"dram", "command clock of the DRAM"});
  return memory;
}

// The default is half of the DRAM's bandwidth if the platform describes DRAM: see DmaSpec.
void read_device_rate(const config::Section& dma, GpuSpec& spec) {
  const double rate = dma.bytes_per_second({"device_rate", "bandwidth of copies within device memory"},
                                           {kLeastDeviceRate}, "half the DRAM's bandwidth");
  if (dma.has("device_rate"))
    spec.dma.device_bytes_per_second = rate;
  else if (spec.memory && spec.memory->peak_bytes_per_second() > 0)
    spec.dma.device_bytes_per_second = spec.memory->peak_bytes_per_second() / 2;
}

void read_platform_policies(const config::Section& root, GpuSpec& spec,
                            const std::set<std::string>& replaced) {
  root.optional({"policy_defaults",
                 "parameters that policies have on this platform where a choice does not state them: "
                 "{decision: {policy: {parameter: value}}}"},
                "section");
  spec.policy_defaults = read_policy_defaults(root.optional_section("policy_defaults"));
  const config::Section policies = root.section("policies");
  read_policies(policies, spec.policies);
  for (auto& [decision, choice] : spec.policies) add_defaults(spec.policy_defaults, decision, choice);
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  for (const std::string& decision : catalogue.decisions()) {
    if (const char* fallback = catalogue.fallback(decision))
      policies.optional({decision, "its policy, a name or {name: ..., parameter: value}"}, "policy",
                        fallback);
    if (!catalogue.is_asked(decision, describe(spec, 0))) continue;
    const bool is_there = policies
                              .optional({decision, "its policy, a name or {name: ..., parameter: value}"},
                                        "policy", config::kRequired)
                              .has_value();
    if (root.has("policies") && !is_there) policies.problem("no policy for the decision '" + decision + "'");
  }
  std::map<std::string, PolicyChoice> own = spec.policies;
  for (const std::string& decision : replaced) own.erase(decision);
  if (const auto found = misfit(spec, own)) policies.value(found->decision).problem(found->message);
}

// Reads the platform's set of energies, which is a section or the name of a file.
std::optional<EnergySpec> read_energy_of(const config::Section& root) {
  const std::optional<config::Value> value = root.optional(
      {kEnergy, "energies of events and static powers: a set by name or file, none, or the section below"},
      "text");
  if (value && value->is_scalar() && value->text() == "none") return std::nullopt;
  if (value && value->is_scalar()) try {
      return load_energy(value->text());
    } catch (const config::Error& error) {
      value->problem(error.what());
      return std::nullopt;
    }
  const EnergySpec energy = read_energy(root.optional_section(kEnergy));
  return value ? std::optional(energy) : std::nullopt;
}

}  // namespace

GpuSpec read_platform(const config::Section& root, const std::set<std::string>& replaced) {
  GpuSpec spec;
  spec.name = root.text({"platform", "name of the platform"});
  if (spec.name.empty() && root.has("platform")) root.value("platform").problem("needs a name");
  root.text({"description", "one line that heddle list platforms shows"});
  spec.caution = root.text(
      {"caution", "what of the timing of its cycle SMs is not validated, which every run on them says"}, "");
  spec.compute_capability = static_cast<std::uint32_t>(std::lround(
      10 * root.real({"compute_capability", "CUDA compute capability, which programs ask for; 0: not said"},
                     {1, 99}, 0)));
  const config::Section clocks = root.section("clocks");
  spec.core_hz = clock(clocks, {"core", "clock of the SMs and the execution engine"});
  spec.pcie_hz = clock(clocks, {"pcie", "clock of the PCIe link"});
  spec.host = read_host(root.section("host"));
  spec.device_bytes = root.bytes({"device_memory", "size of device memory; at most what the DRAM holds"});
  spec.stall_limit =
      root.cycles({"stall_limit",
                   "core cycles without an instruction issued or a load or store answered that fail a run"},
                  {1, kMostStall}, spec.stall_limit);
  spec.queues = read_queues(root.section("queues"));
  spec.pcie = read_pcie(root.section("pcie"));
  const config::Section dma = root.section("dma");
  spec.dma = read_dma(dma);
  spec.engine = read_engine(root.section("engine"));
  const config::Section sm = root.section("sm");
  spec.sm = read_sm(sm);
  // The sections of a cycle SM are read in a timed platform too, so that sm.model can be changed either way.
  const bool cycle = sm.choice({"model", "SMs that execute instructions, or blocks that last a stated time"},
                               {"timed", "cycle"}) == "cycle";
  if (cycle || root.has("pipeline")) {
    std::vector<std::uint32_t> carve_outs;
    const CycleSmSpec pipeline = read_cycle_sm(root, carve_outs);
    if (cycle) {
      spec.sm.model = pipeline;
      spec.sm.limits.carve_outs = carve_outs;
    }
  }
  const bool kernel_stalls =
      sm.boolean({"kernel_stalls",
                  "whether a cycle SM also counts what the warps of each kernel wait for; see models/SM.md"},
                 false);
  const std::uint64_t use_epoch = sm.cycles({"use_epoch",
                                             "core cycles in which each register and word of shared memory "
                                             "that is accessed counts once; 0: they are not counted"},
                                            {0, kMostStall}, 0);
  if (ExecutionSpec* const execution = spec.sm.execution()) {
    execution->kernel_stalls = kernel_stalls;
    execution->use_epoch = use_epoch;
  }
  if (cycle || root.has("dram")) spec.memory = read_memory(root, clocks, spec.sm, spec.device_bytes);
  read_device_rate(dma, spec);
  spec.bandwidth = read_bandwidth(root.optional_section("contention"), spec, cycle);
  spec.arithmetic = read_arithmetic(root);
  if (!cycle && use_epoch > 0) sm.value("use_epoch").problem("timed SMs have no registers to count");
  if (!cycle && kernel_stalls) sm.value("kernel_stalls").problem("timed SMs have no stalls to count");
  spec.instances = read_instances(root.optional_section("mig"), spec);
  // Timed SMs execute nothing that costs energy, but a platform may be switched between the models.
  const std::optional<EnergySpec> energy = read_energy_of(root);
  if (cycle) spec.energy = energy;
  check_platform(root, spec);
  spec.rtl = read_rtl_blocks(root);
  if (spec.memory) {
    spec.memory->l2.block = read_rtl_place(root.section("l2"), "l2.block", spec.rtl);
    if (!spec.memory->l2.block.empty() && spec.memory->l2.copies_stay)
      root.section("l2").value("copies").problem("a block in RTL is not told of copies");
    const std::string channel = read_rtl_place(root.section("dram"), "dram.block", spec.rtl);
    spec.memory->dram.block = channel;
    if (spec.energy && !channel.empty() && spec.rtl.at(channel).mode == RtlMode::kReplace) {
      HEDDLE_LOG(Severity::kWarning, "platform",
                 "energy is not counted: the channels are rtl.{}, which does not say its DRAM commands",
                 channel);
      spec.energy.reset();
    }
  }
  read_platform_policies(root, spec, replaced);
  return spec;
}

config::Document load_platform_document(const std::string& name_or_file) {
  config::Document document = config::Document::load_derived(
      find_data("platforms", name_or_file), "platforms", {"platform", "description", kEnergy});
  document.include(kEnergy, kEnergyFolder);
  return document;
}

void set_platform_key(config::Document& document, const std::string& assignment) {
  document.set(assignment);
  document.include(kEnergy, kEnergyFolder);  // the assignment may have named another set
}

GpuSpec load_platform(const std::string& name_or_file) {
  const config::Document document = load_platform_document(name_or_file);
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

std::vector<config::KeyDescription> platform_keys() {
  // Every reader asks for all of its keys, also when the document lacks them.
  const config::Document document =
      config::Document::parse("sm: {model: cycle}\nrtl: {NAME: {}}\nmig: {profiles: {NAME: {}}}", "keys");
  read_platform(document.root());
  std::vector<config::KeyDescription> keys = document.keys();
  keys.insert(keys.begin(),
              {"base", "text", "", "none", "", "platform, by name or file, from which this one differs"});
  return keys;
}

}  // namespace heddle
