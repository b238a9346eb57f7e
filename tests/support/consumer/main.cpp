// A virtual platform outside of Heddle that contains a Heddle GPU with timed SMs, with a CPU and a memory of
// its own. The CPU programs a command queue, launches one kernel, waits for its fence in memory and reads a
// counter by its name.
// Usage: consumer [platform]. The exit code is 0 if the kernel behaves as expected.

#include <systemc>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "host_port.h"
#include "memory.h"
#include "models/gpu/gpu.h"
#include "platforms/load/platform_loader.h"

namespace {

namespace registers = heddle::registers;

constexpr std::uint64_t kRing = 0x1000;
constexpr std::uint64_t kRingEntries = 16;
constexpr std::uint64_t kKernel = 0x2000;
constexpr std::uint64_t kHead = 0x3000;
constexpr std::uint64_t kFence = 0x3040;
constexpr std::uint64_t kBlocks = 80;
constexpr std::uint64_t kBlockCycles = 5000;

class Cpu : public sc_core::sc_module {
 public:
  Cpu(sc_core::sc_module_name name, Memory& memory) : sc_core::sc_module(name), memory_(memory) {
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(run);
  }

  HostPort gpu{"gpu"};
  bool done = false;

 private:
  void run() {
    if (gpu.load(registers::kId) != registers::kIdValue) throw std::runtime_error("no Heddle GPU answers");
    heddle::KernelLaunch launch;
    launch.blocks = kBlocks;
    launch.shape.threads = 256;
    launch.block_cycles = kBlockCycles;
    const heddle::Descriptor kernel = heddle::encode_kernel(launch);
    heddle::Command command;
    command.kind = heddle::Command::Kind::kLaunch;
    command.context = heddle::ContextId{0};
    command.stream = heddle::StreamId{0};
    command.fence_address = kFence;
    command.fence_value = 1;
    const heddle::Descriptor descriptor = heddle::encode_command(command, kKernel);
    std::copy(kernel.begin(), kernel.end(), memory_.at(kKernel));
    std::copy(descriptor.begin(), descriptor.end(), memory_.at(kRing));

    gpu.store(registers::queue(0, registers::kBase), kRing);
    gpu.store(registers::queue(0, registers::kEntries), kRingEntries);
    gpu.store(registers::queue(0, registers::kWriteback), kHead);
    gpu.store(registers::queue(0, registers::kTail), 1);
    while (heddle::load_u64(memory_.at(kFence)) != 1) wait(memory_.written);
    done = heddle::load_u64(memory_.at(kHead)) == 1 && gpu.load(registers::kError) == 0;
    sc_core::sc_stop();
  }

  Memory& memory_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    const heddle::GpuSpec spec = heddle::load_platform(argc > 1 ? argv[1] : "k20-cusched");
    heddle::Gpu gpu("gpu", spec);
    Memory memory("memory", 0x10000);
    Cpu cpu("cpu", memory);
    cpu.gpu.socket.bind(gpu.mmio());
    gpu.system().bind(memory.socket);
    sc_core::sc_start();
    const std::uint64_t blocks = cpu.gpu.inspect(cpu.gpu.counter("gpu.engine.driver.blocks_done"));
    const double us = sc_core::sc_time_stamp().to_seconds() * 1e6;
    std::printf("%s, %u SMs: %llu blocks done in %.3f us\n", spec.name.c_str(), spec.sm.count,
                static_cast<unsigned long long>(blocks), us);
    // All blocks run in one wave, which takes at least the residence time of a block. With all latencies it
    // takes less than twice that time.
    const double block_us = static_cast<double>(kBlockCycles) / spec.core_hz * 1e6;
    return cpu.done && blocks == kBlocks && us > block_us && us < 2 * block_us ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 1;
  }
}
