// The cost of a long run with requests, in numbers that are the same on every machine: how often the GPU's
// blocks are ticked and how much is allocated for a request, and that memory does not grow.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "models/machine/machine.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/application.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kUs = 1'000'000;  // picoseconds
constexpr std::uint64_t kBegin = 200;     // requests, after which everything has the size that it keeps
constexpr std::uint64_t kEnd = 700;

// A process that copies 16 KiB to the GPU and launches a kernel of 26 blocks ten times, and waits for the
// end.
HostProcessSpec ten_launches(const std::string& name, std::uint64_t block_us) {
  HostProcessSpec process;
  process.program.name = name;
  process.program.streams = {"default"};
  process.program.buffers = {{"data", 16384}};
  ApiKernel kernel;
  kernel.name = "k";
  kernel.blocks = 26;
  kernel.shape = {256, 32, 0};
  kernel.block_cycles = block_us * 700;
  process.program.kernels = {kernel};
  process.program.calls.resize(14);
  std::vector<ApiCall>& calls = process.program.calls;
  calls[0].kind = ApiCall::Kind::kAllocate;
  calls[1].kind = ApiCall::Kind::kCopyUp;
  calls[1].bytes = 16384;
  calls[2].kind = ApiCall::Kind::kRepeat;
  calls[2].count = 10;
  calls[3].kind = ApiCall::Kind::kLaunch;
  calls.resize(5);
  calls[4].kind = ApiCall::Kind::kEnd;
  process.tokens = 6;
  return process;
}

// A server with Poisson arrivals beside a job that starts over until the server ends.
MachineSpec server_beside_job(const std::string& partitioner, const std::string& preemption) {
  MachineSpec spec;
  spec.gpu = load_platform("k20-cusched");
  spec.gpu.policies["sm_partitioner"] = {partitioner, {}};
  spec.gpu.policies["preemption"] = {preemption, {}};
  spec.gpu.host.context_creation_ps = 0;
  spec.starvation_limit_ps = 1'000'000 * kUs;
  spec.processes = {ten_launches("server", 20), ten_launches("job", 100)};
  for (std::uint32_t i = 0; i < 2; ++i) spec.processes[i].number = i;
  spec.processes[0].priority = 1;
  spec.processes[1].replay = true;
  RequestSpec requests;
  requests.arrivals.kind = ArrivalSpec::Kind::kPoisson;
  requests.arrivals.mean_ps = 4e3 * kUs;
  requests.most_requests = kEnd + 1;
  requests.deadline_ps = 5000 * kUs;
  spec.processes[0].requests = requests;
  return spec;
}

struct Cost {
  double ticks = 0;        // of all clocks, for a request
  double allocations = 0;  // for a request
  std::int64_t grown = 0;  // bytes of the heap
};

std::int64_t heap_bytes() {
  return static_cast<std::int64_t>(mallinfo2().uordblks);
}

Cost cost_of(const MachineSpec& spec) {
  Machine machine("machine", spec);
  const auto run_until = [&machine](std::uint64_t requests) {
    while (!machine.done() && machine.request_log().totals(0).all.all() < requests)
      sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS), sc_core::SC_RUN_TO_TIME);
    return machine.request_log().totals(0).all.all();
  };
  const auto ticks = [&machine] {
    const Group& stats = machine.gpu().stats();
    return stats.find("gpu.core.ticks")->value() + stats.find("gpu.pcie.ticks")->value();
  };
  const std::uint64_t begin = run_until(kBegin);
  const std::uint64_t ticks_before = ticks();
  const std::int64_t heap_before = heap_bytes();
  arm_allocation_counter();
  const std::uint64_t end = run_until(kEnd);
  const auto requests = static_cast<double>(end - begin);
  Cost cost;
  cost.allocations = static_cast<double>(disarm_allocation_counter()) / requests;
  cost.grown = heap_bytes() - heap_before;
  cost.ticks = static_cast<double>(ticks() - ticks_before) / requests;
  EXPECT_EQ(machine.failure(), "");
  EXPECT_FALSE(machine.done()) << "the requests ended too early to say anything";
  return cost;
}

struct Mechanism {
  const char* partitioner;
  const char* preemption;
  double ticks;  // the most for a request
};

std::string name_of(const testing::TestParamInfo<Mechanism>& info) {
  std::string name = fmt::format("{}_{}", info.param.partitioner, info.param.preemption);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class RequestProxies : public testing::TestWithParam<Mechanism> {};

TEST_P(RequestProxies, ARequestCostsTheSameHoweverLongTheRun) {
  const Cost cost = cost_of(server_beside_job(GetParam().partitioner, GetParam().preemption));
  RecordProperty("ticks", std::to_string(cost.ticks));
  RecordProperty("allocations", std::to_string(cost.allocations));
  RecordProperty("grown", std::to_string(cost.grown));
  EXPECT_LE(cost.ticks, GetParam().ticks);
  // For a request and for what the job does meanwhile, some thirty launches of both.
  EXPECT_LE(cost.allocations, 450);
  if (kSanitized) return;
  EXPECT_LT(cost.grown, 64 * 1024) << "over 500 requests";  // octaves of histograms
}

INSTANTIATE_TEST_SUITE_P(
    Mechanisms, RequestProxies,
    testing::Values(Mechanism{"left-over", "drain", 6200}, Mechanism{"stream-priority", "drain", 6200},
                    Mechanism{"time-slice", "drain", 6200}, Mechanism{"mps", "drain", 6200},
                    Mechanism{"green-context", "drain", 6200}, Mechanism{"ppq", "switch", 6200}),
    name_of);

}  // namespace
}  // namespace heddle::test
