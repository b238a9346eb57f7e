#include "models/host/call_time.h"

#include <cmath>

namespace heddle {

namespace {

std::uint64_t allocation_time_ps(const HostSpec& host, std::uint64_t bytes) {
  if (bytes <= host.pooled_allocation_bytes) return host.call_latency_ps;
  if (host.allocation_bytes_per_second == 0) return host.allocation_latency_ps;
  const double mapping = static_cast<double>(bytes) / host.allocation_bytes_per_second;
  return host.allocation_latency_ps + static_cast<std::uint64_t>(std::llround(mapping * 1e12));
}

}  // namespace

bool calls_runtime(const ApiCall& call) {
  switch (call.kind) {
    case ApiCall::Kind::kCpu:
    case ApiCall::Kind::kSwap:
    case ApiCall::Kind::kHost:
    case ApiCall::Kind::kRepeat:
    case ApiCall::Kind::kEnd:
      return false;
    default:
      return true;
  }
}

std::uint64_t call_time_ps(const HostSpec& host, const ApiProgram& program, const ApiCall& call) {
  if (!calls_runtime(call)) return 0;
  if (moves_data(call)) return host.copy_latency_ps;
  if (call.kind == ApiCall::Kind::kLaunch) return host.launch_latency_ps;
  if (call.kind == ApiCall::Kind::kAllocate || call.kind == ApiCall::Kind::kFree)
    return allocation_time_ps(host, program.buffers[call.buffer].bytes);
  return host.call_latency_ps;
}

}  // namespace heddle
