#pragma once
// The platform k20-cusched, made in code as plain data without SystemC, so that tests of single blocks need
// no file.

#include "models/gpu/gpu_spec.h"

namespace heddle::test {

inline SmLimits k20_limits() {
  SmLimits limits;
  limits.threads = 2048;
  limits.warps = 64;
  limits.warp_size = 32;
  limits.registers = 65536;
  limits.register_granularity = 256;
  limits.shared_bytes = 48 * 1024;
  limits.shared_granularity = 256;
  limits.block_slots = 16;
  limits.threads_per_block = 1024;
  limits.registers_per_thread = 255;
  return limits;
}

inline EngineSpec k20_engine() {
  EngineSpec engine;
  engine.contexts = 32;
  engine.ksrs = 13;
  engine.kernel_launch_latency = 706;
  engine.sm_setup_latency = 353;
  engine.context_register_bytes = 192;
  engine.setup_bytes_per_cycle = 8;
  engine.block_issue_latency = 10;
  engine.block_placement = BlockPlacement::kBreadth;
  return engine;
}

inline PcieSpec k20_pcie() {
  PcieSpec pcie;
  pcie.lanes = 32;
  pcie.bytes_per_lane = 1;
  pcie.burst_bytes = 4096;
  pcie.latency = 250;
  return pcie;
}

constexpr double kK20CoreHz = 706e6;
constexpr double kK20PcieHz = 500e6;
constexpr std::uint64_t kK20MemoryLatencyPs = 100'000;  // 50 cycles of the PCIe clock

inline GpuSpec k20_spec() {
  GpuSpec spec;
  spec.name = "k20-cusched";
  spec.core_hz = kK20CoreHz;
  spec.pcie_hz = kK20PcieHz;
  spec.host.touch_bytes_per_second = 2e9;
  spec.host.memory_latency_ps = kK20MemoryLatencyPs;
  spec.host.mmio_latency_ps = 0;
  spec.queues = {32, 1024, 64, 256};
  spec.pcie = k20_pcie();
  spec.dma = {2, 32};
  spec.engine = k20_engine();
  spec.sm.count = 13;
  spec.sm.limits = k20_limits();
  spec.device_bytes = std::uint64_t{5} << 30;
  spec.policies["sm_partitioner"] = {"fcfs-s", {}};
  spec.policies["block_throttle"] = {"none", {}};
  spec.policies["preemption"] = {"drain", {}};
  spec.policies["command_arbiter"] = {"hyper-q", {}};
  spec.policies["dma_arbiter"] = {"fcfs", {}};
  return spec;
}

}  // namespace heddle::test
