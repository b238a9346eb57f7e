#include "tests/support/machine/random_machine.h"

#include <fmt/format.h>

#include <sstream>

#include "models/core/base/random.h"
#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "policies/block_throttle/i_block_throttle.h"
#include "policies/command_arbiter/i_command_arbiter.h"
#include "policies/preemption/i_preemption.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/policy_names.h"
#include "tests/support/random_code.h"

namespace heddle::test {

namespace {

// Every program of random_machine() ends before this time. A block alone can last for several milliseconds,
// because a kernel can move 16 MB a block at a few GB/s, and no other block may find room meanwhile.
constexpr std::uint64_t kLongestPs = 2'000'000'000'000;

std::uint32_t pick(Random& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

std::string pick_policy(Random& random, const std::string& decision) {
  const std::vector<std::string> names = PolicyCatalogue::instance().names(decision);
  return names[random.below(names.size())];
}

GpuSpec random_gpu(Random& random, const GpuSpec& k20) {
  GpuSpec gpu = k20;
  const GpuDescription timed;  // without cycle SMs, which some policies need
  for (auto& [decision, choice] : gpu.policies) choice = {pick_policy(random, decision), {}};
  for (const char* decision : {BlockThrottle::kDecision, Preemption::kDecision}) {
    PolicyChoice& choice = gpu.policies[decision];
    while (!PolicyCatalogue::instance().misfit(decision, choice, timed).empty())
      choice = {pick_policy(random, decision), {}};
  }
  const bool single = gpu.policies[CommandArbiter::kDecision].name == "single-queue";
  gpu.queues.count = single ? 1 : pick(random, 1, 32);
  gpu.queues.entries = pick(random, 1, 8);  // small rings, so that the host has to wait for room
  gpu.sm.count = pick(random, 1, 6);
  gpu.engine.ksrs = pick(random, 1, 8);
  gpu.engine.kernel_launch_latency = pick(random, 1, 40);
  gpu.engine.block_issue_latency = pick(random, 2, 12);
  gpu.engine.sm_setup_latency = gpu.engine.block_issue_latency + pick(random, 1, 40);
  gpu.engine.block_placement = random.below(2) == 0 ? BlockPlacement::kBreadth : BlockPlacement::kPacked;
  gpu.dma.engines = pick(random, 1, 2);
  gpu.dma.transfers = pick(random, 1, 4);
  gpu.pcie.latency = pick(random, 0, 60);
  gpu.host.mmio_latency_ps = random.below(2) == 0 ? 0 : pick(random, 1, 5000);
  return gpu;
}

// Half of the hosts have calls that take time, and half of those have fewer cores than processes may want.
HostSpec random_host(Random& random, const HostSpec& k20) {
  HostSpec host;
  host.touch_bytes_per_second = k20.touch_bytes_per_second;
  host.memory_latency_ps = k20.memory_latency_ps;
  host.mmio_latency_ps = k20.mmio_latency_ps;
  if (random.below(2) == 0) return host;
  host.call_latency_ps = random.below(3000);
  host.launch_latency_ps = random.below(5'000'000);
  host.copy_latency_ps = random.below(4'000'000);
  host.allocation_latency_ps = random.below(10'000'000);
  host.allocation_bytes_per_second = random.below(2) == 0 ? 0 : 1e9;
  host.pooled_allocation_bytes = random.below(40000);
  host.return_latency_ps = random.below(2) == 0 ? 0 : random.below(6'000'000);
  host.context_creation_ps = random.below(50'000'000);
  host.cores = random.below(2) == 0 ? 0 : pick(random, 1, 3);
  host.time_slice_ps = random.below(3) == 0 ? 0 : 1 + random.below(9'000'000);
  host.wait = random.below(2) == 0 ? HostWait::kSpin : HostWait::kBlock;
  return host;
}

// In two of three machines kernels contend, and some of their blocks move bytes.
void add_contention(Random& random, MachineSpec& spec) {
  spec.gpu.bandwidth.kernels = random.below(3) > 0;
  spec.gpu.bandwidth.dram_bytes_per_second = static_cast<double>(1 + random.below(300)) * 1e9;
  spec.gpu.bandwidth.l2_bytes_per_second = static_cast<double>(random.below(3) * random.below(600)) * 1e9;
  for (HostProcessSpec& process : spec.processes)
    for (ApiKernel& kernel : process.program.kernels) {
      if (random.below(3) == 0) continue;
      kernel.dram_sectors = pick(random, 0, 1 << random.below(20));
      kernel.l2_sectors = pick(random, 0, 1 << random.below(20));
    }
}

ApiCall random_call(Random& random, const ApiProgram& program) {
  ApiCall call;
  call.stream = static_cast<std::uint32_t>(random.below(program.streams.size()));
  call.kernel = static_cast<std::uint32_t>(random.below(program.kernels.size()));
  switch (random.below(8)) {
    case 0:
      call.kind = ApiCall::Kind::kCpu;
      call.time_ps = random.below(20000000);
      break;
    case 1:
    case 2:
      call.kind = random.below(2) == 0 ? ApiCall::Kind::kCopyUp : ApiCall::Kind::kCopyDown;
      call.bytes = 1 + random.below(program.buffers[0].bytes);
      call.asynchronous = random.below(2) == 0;
      break;
    case 3:
      call.kind = ApiCall::Kind::kSynchronise;
      if (random.below(2) == 0) call.stream = ApiCall::kAllStreams;
      break;
    case 4:
      call.kind = ApiCall::Kind::kRecord;
      break;
    case 5:
      call.kind = ApiCall::Kind::kWait;
      break;
    default:
      call.kind = ApiCall::Kind::kLaunch;
      break;
  }
  return call;
}

// Adds random calls to the program. Every wait for an event follows a record of that event, because with few
// hardware queues an earlier wait would never end.
void add_calls(Random& random, ApiProgram& program) {
  const auto add = [&](ApiCall::Kind kind, std::uint64_t count = 0) {
    ApiCall call;
    call.kind = kind;
    call.count = count;
    program.calls.push_back(call);
  };
  add(ApiCall::Kind::kAllocate);
  bool recorded = false;
  const std::uint32_t calls = pick(random, 1, 14);
  const std::uint32_t loop_at = pick(random, 0, calls);
  for (std::uint32_t i = 0; i < calls; ++i) {
    if (i == loop_at) add(ApiCall::Kind::kRepeat, pick(random, 1, 3));
    const ApiCall call = random_call(random, program);
    if (call.kind == ApiCall::Kind::kWait && !recorded) continue;
    recorded = recorded || call.kind == ApiCall::Kind::kRecord;
    program.calls.push_back(call);
  }
  if (loop_at < calls) add(ApiCall::Kind::kEnd);
  add(ApiCall::Kind::kFree);
}

ApiProgram random_program(Random& random, std::uint32_t number) {
  ApiProgram program;
  program.name = fmt::format("p{}", number);
  program.buffers = {{"b", 1 + random.below(40000)}};
  program.events = {"e"};
  for (std::uint32_t i = pick(random, 1, 4); i > 0; --i) program.streams.push_back(fmt::format("s{}", i));
  for (std::uint32_t i = pick(random, 1, 3); i > 0; --i) {
    ApiKernel kernel;
    kernel.name = fmt::format("k{}", i);
    kernel.blocks = 1 + random.below(random.below(4) == 0 ? 300 : 20);
    kernel.shape = {pick(random, 1, 1024), pick(random, 0, 64), pick(random, 0, 49152)};
    kernel.block_cycles = 1 + random.below(random.below(3) == 0 ? 20000 : 300);
    kernel.jitter_permille = random.below(2) == 0 ? 0 : pick(random, 1, 1000);
    program.kernels.push_back(kernel);
  }
  add_calls(random, program);
  return program;
}

// Every second machine has SMs with sub-cores.
void add_subcores(Random& random, std::vector<std::string>& changes) {
  if (random.below(2) == 0) return;
  const std::vector<std::string> schedulers{"cggty", "gto", "lrr", "two-level"};
  for (const std::string& change :
       {std::string("pipeline.kind=subcore"), std::string("pipeline.buffer_entries=3"),
        "policies.warp_scheduler=" + schedulers[random.below(schedulers.size())],
        fmt::format("subcore.memory_port={}cycles", pick(random, 1, 2)),
        fmt::format("caches.l0.size={}KiB", 1 << random.below(4)), std::string("caches.l0.ways=4"),
        std::string("caches.l0.replacement=lru"), std::string("caches.l0.mshrs=4"),
        std::string("caches.l0.merges=16"), fmt::format("caches.l0.latency={}cycles", pick(random, 1, 3)),
        fmt::format("caches.l0.way={}cycles", pick(random, 0, 40)),
        fmt::format("caches.l0.prefetch={}", pick(random, 0, 8))})
    changes.push_back(change);
}

}  // namespace

MachineSpec random_machine(std::uint64_t seed, const GpuSpec& k20) {
  Random random(seed);
  MachineSpec spec;
  spec.gpu = random_gpu(random, k20);
  Random host(seed ^ 0x5eed'0f'0c'0de5);
  spec.gpu.host = random_host(host, spec.gpu.host);
  spec.starvation_limit_ps = kLongestPs;
  const std::uint32_t processes = pick(random, 1, 6);
  for (std::uint32_t i = 0; i < processes; ++i) {
    HostProcessSpec process;
    process.number = i;
    process.program = random_program(random, i);
    process.priority = static_cast<std::int32_t>(random.below(4)) - 1;
    process.tokens = 1 + static_cast<std::int32_t>(random.below(1 + spec.gpu.sm.count / processes));
    process.start_ps = random.below(3) == 0 ? 0 : random.below(50000000);
    process.seed = seed + i;
    spec.processes.push_back(process);
  }
  Random contention(seed ^ 0xc0'17'e4'7105);
  add_contention(contention, spec);
  Random restarts(seed ^ 0xf1'05'4ed);
  for (HostProcessSpec& process : spec.processes)
    for (ApiKernel& kernel : process.program.kernels) kernel.restartable = restarts.below(3) > 0;
  return spec;
}

MachineSpec random_cycle_mix(std::uint64_t seed) {
  Random random(seed);
  const std::vector<std::string> partitioners = PolicyCatalogue::instance().names(SmPartitioner::kDecision);
  const std::vector<std::string> preemptions = PolicyCatalogue::instance().names(Preemption::kDecision);
  const std::vector<std::string> managers{"static", "wlm", "zorua"};
  MachineSpec spec;
  spec.starvation_limit_ps = 1'000'000'000'000;
  const std::string& partitioner = partitioners[random.below(partitioners.size())];
  std::vector<std::string> changes{"sm.count=3",
                                   "policies.preemption=" + preemptions[random.below(preemptions.size())],
                                   "policies.resource_manager=" + managers[random.below(3)]};
  Random pipelines(seed ^ 0x5'0bc0'4e5);
  add_subcores(pipelines, changes);
  spec.gpu = shared_gtx480(partitioner, changes);
  const bool is_halted = random.below(2) == 0;
  if (is_halted) spec.window_cycles = 2000 + random.below(20'000);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::string code = RandomCode(10 * seed + i, RandomCode::Memory::kAll).with_barriers(1);
    const auto priority = static_cast<std::int32_t>(random.below(2));
    spec.processes.push_back(process_of(synthetic(code, {1 + random.below(8), 96, 40, 2048}), priority, 1));
    spec.processes.back().number = i;
    spec.processes.back().start_ps = random.below(3'000'000);
    spec.processes.back().is_halted = spec.processes.back().replay = is_halted;
  }
  return spec;
}

std::string statistics(const MachineSpec& spec, unsigned threads) {
  return in_child([&] {
    WorkerPool pool(threads);
    GpuOptions options;
    if (threads > 1) options.pool = &pool;
    options.fewest_shared = 1;
    Machine machine("machine", spec, options);
    machine.run();
    std::ostringstream text;
    text << machine.failure();
    write_json(machine.stats(), text);
    return text.str();
  });
}

}  // namespace heddle::test
