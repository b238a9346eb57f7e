// The CPU time of host processes: calls of the runtime, the creation of a context, and cores that processes
// share.

#include <gtest/gtest.h>

#include <memory>

#include "models/machine/machine.h"
#include "tests/support/k20.h"

namespace heddle::test {
namespace {

using Kind = ApiCall::Kind;

constexpr std::uint64_t kUs = 1'000'000;
constexpr std::uint64_t kMs = 1'000'000'000;

// Builds a program with one buffer and a kernel of one block that lasts `kernel_ms`.
class HostProgram {
 public:
  explicit HostProgram(std::uint64_t kernel_ms = 1) {
    program_.name = "p";
    program_.buffers = {{"b", 1 << 20}};
    program_.streams = {"s"};
    ApiKernel kernel;
    kernel.name = "k";
    kernel.blocks = 1;
    kernel.shape = {32, 16, 0};
    kernel.block_cycles = kernel_ms * 500'000;
    program_.kernels = {kernel};
  }
  HostProgram& add(Kind kind, std::uint64_t bytes = 0) {
    ApiCall call;
    call.kind = kind;
    call.bytes = bytes;
    if (kind == Kind::kSynchronise) call.stream = ApiCall::kAllStreams;
    program_.calls.push_back(call);
    return *this;
  }
  HostProgram& cpu(std::uint64_t ps) {
    add(Kind::kCpu);
    program_.calls.back().time_ps = ps;
    return *this;
  }
  operator HostProcessSpec() const {
    HostProcessSpec process;
    process.program = program_;
    return process;
  }

 private:
  ApiProgram program_;
};

// All clocks have a period of 2 ns, so that a host that is later by a multiple of it shifts the GPU's work.
MachineSpec machine_of(const HostSpec& host, std::vector<HostProcessSpec> processes) {
  MachineSpec spec;
  spec.gpu = k20_spec();
  spec.gpu.core_hz = spec.gpu.pcie_hz = 500e6;
  spec.gpu.policies["sm_partitioner"] = {"fcfs-m", {}};
  const HostSpec k20 = spec.gpu.host;
  spec.gpu.host = host;
  spec.gpu.host.touch_bytes_per_second = k20.touch_bytes_per_second;
  spec.gpu.host.memory_latency_ps = k20.memory_latency_ps;
  spec.starvation_limit_ps = 1000 * kMs;
  spec.processes = std::move(processes);
  for (std::uint32_t i = 0; i < spec.processes.size(); ++i) spec.processes[i].number = i;
  return spec;
}

std::vector<std::uint64_t> turnarounds(Machine& machine) {
  for (int ms = 0; !machine.done() && machine.failure().empty() && ms < 500; ++ms)
    sc_core::sc_start(1, sc_core::SC_MS);
  EXPECT_EQ(machine.failure(), "");
  EXPECT_TRUE(machine.done());
  std::vector<std::uint64_t> ps;
  for (const ProcessResult& result : machine.results()) ps.push_back(result.turnaround_ps);
  return ps;
}

void expect_ms(const std::vector<std::uint64_t>& found, const std::vector<double>& ms) {
  ASSERT_EQ(found.size(), ms.size());
  for (std::size_t i = 0; i < ms.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]) / kMs, ms[i], 0.01) << "process " << i;
}

HostProgram every_call() {
  HostProgram program;
  program.add(Kind::kQuery).add(Kind::kAllocate).add(Kind::kCopyUp, 4096);
  program.add(Kind::kLaunch).add(Kind::kSynchronise).add(Kind::kCopyDown, 4096).add(Kind::kSynchronise);
  return program.add(Kind::kFree);
}

TEST(HostTime, CallsTakeTheSumOfTheirLatencies) {
  HostSpec host;
  host.call_latency_ps = 2 * kUs;
  host.launch_latency_ps = 5 * kUs;
  host.copy_latency_ps = 4 * kUs;
  host.allocation_latency_ps = 50 * kUs;
  host.return_latency_ps = 6 * kUs;
  host.context_creation_ps = 100 * kUs;
  Machine at_once("at_once", machine_of(HostSpec{}, {every_call()}));
  Machine machine("machine", machine_of(host, {every_call()}));
  // Three calls wait and return later: two copies and the wait for the kernel. That wait begins beside the
  // kernel, and the second one finds nothing to wait for.
  const std::uint64_t calls = 100 + 2 + 50 + 4 + 5 + 4 + 2 + 50 + 3 * 6;
  const std::uint64_t before = turnarounds(at_once)[0];
  EXPECT_EQ(turnarounds(machine)[0], before + calls * kUs);
}

TEST(HostTime, AFillLeavesTheHostGoingOn) {
  // 1 MiB at 200 GB/s takes 5.2 us, and the CPU phase beside it 20 us.
  Machine beside(
      "beside", machine_of({}, {HostProgram().add(Kind::kAllocate).add(Kind::kFill, 1 << 20).cpu(20 * kUs)}));
  Machine alone("alone", machine_of({}, {HostProgram().add(Kind::kAllocate).cpu(20 * kUs)}));
  EXPECT_LT(turnarounds(beside)[0] - turnarounds(alone)[0], 10'000U);
}

TEST(HostTime, TheTurnaroundStartsWithTheFirstCallOfTheRuntime) {
  const HostProgram late = HostProgram().cpu(3 * kMs).add(Kind::kLaunch).add(Kind::kSynchronise);
  const HostProgram early = HostProgram().add(Kind::kLaunch).add(Kind::kSynchronise);
  Machine first("first", machine_of({}, {late}));
  Machine second("second", machine_of({}, {early}));
  EXPECT_EQ(turnarounds(first), turnarounds(second));
}

TEST(HostTime, TheTurnaroundOfAProgramWithoutSuchACallStartsWithTheProcess) {
  HostProcessSpec process = HostProgram().cpu(3 * kMs);
  process.start_ps = 2 * kMs;
  Machine machine("machine", machine_of({}, {process}));
  expect_ms(turnarounds(machine), {3});
}

TEST(HostTime, EveryExecutionCreatesAContext) {
  HostSpec host;
  host.context_creation_ps = 5 * kMs;
  HostProcessSpec again = HostProgram().add(Kind::kLaunch).add(Kind::kSynchronise);
  again.replay = true;
  HostProcessSpec longer = HostProgram(20).add(Kind::kLaunch).add(Kind::kSynchronise);
  longer.replay = true;
  MachineSpec spec = machine_of(host, {again, longer});
  Machine machine("machine", spec);
  turnarounds(machine);
  // Each execution takes 5 ms and a kernel of 1 ms; the other one 25 ms.
  EXPECT_EQ(machine.results()[0].completions, 4U);
}

TEST(HostTime, IsNoneWithoutCpuPhases) {
  HostSpec host;
  host.launch_latency_ps = 5 * kUs;
  host.context_creation_ps = 100 * kUs;
  host.cores = 1;
  HostProcessSpec process = HostProgram().add(Kind::kLaunch).add(Kind::kSynchronise);
  Machine plain("plain", machine_of({}, {process}));
  process.cpu_phases = false;
  Machine machine("machine", machine_of(host, {process}));
  EXPECT_EQ(turnarounds(machine), turnarounds(plain));
}

HostProgram computing(std::uint64_t ms) {
  return HostProgram().add(Kind::kQuery).cpu(ms * kMs).add(Kind::kLaunch);
}

TEST(HostTime, ProcessesShareTheCores) {
  HostSpec host;
  host.cores = 2;
  Machine machine("machine", machine_of(host, {computing(10), computing(10), computing(10)}));
  expect_ms(turnarounds(machine), {11, 11, 22});  // each ends with a kernel of 1 ms, for which it spins
}

TEST(HostTime, ATimeSliceGivesTheCoreToTheProcessThatWaitsLongest) {
  HostSpec host;
  host.cores = 1;
  host.time_slice_ps = kMs;
  Machine machine("machine", machine_of(host, {computing(3), computing(5)}));
  // Slices of 1 ms in turn: process 0 has computed at 5 ms and spins for its kernel at 6 ms. Process 1 has
  // the core for its fourth millisecond then.
  expect_ms(turnarounds(machine), {6, 9});
}

TEST(HostTime, AProcessThatSpinsKeepsItsCoreAndOneThatBlocksLeavesIt) {
  const HostProgram waiting = HostProgram(10).add(Kind::kQuery).cpu(kUs).add(Kind::kLaunch);
  HostSpec spin;
  spin.cores = 1;
  HostSpec sliced = spin;
  sliced.time_slice_ps = kMs;
  HostSpec block = spin;
  block.wait = HostWait::kBlock;
  Machine spins("spins", machine_of(spin, {waiting, computing(15)}));
  Machine slices("slices", machine_of(sliced, {waiting, computing(15)}));
  Machine blocks("blocks", machine_of(block, {waiting, computing(15)}));
  expect_ms(turnarounds(spins), {10, 26});
  expect_ms(turnarounds(slices), {10, 21});
  expect_ms(turnarounds(blocks), {10, 16});
}

}  // namespace
}  // namespace heddle::test
