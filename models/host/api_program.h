#pragma once
// An application's calls of the GPU runtime, as a host process replays them. Names are resolved to indices.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/instruction.h"
#include "models/core/kernel.h"

namespace heddle {

struct ApiKernel {
  std::string name;
  std::uint64_t blocks = 0;
  BlockShape shape;
  std::uint64_t block_cycles = 0;  // residence on the timed SM, core cycles
  std::uint32_t jitter_permille = 0;
  std::function<std::unique_ptr<KernelProgram>()> program;  // null for timed kernels
};

struct ApiBuffer {
  std::string name;
  std::uint64_t bytes = 0;
};

struct ApiCall {
  enum class Kind : std::uint8_t {
    kCpu,          // the host computes for `time_ps`
    kAllocate,     // `buffer`
    kFree,         // `buffer`
    kCopyUp,       // the first `bytes` of `buffer`, host to device; returns when done unless `asynchronous`
    kCopyDown,     // ... device to host
    kLaunch,       // `kernel`; returns at once
    kRecord,       // `event`
    kWait,         // the stream waits for the latest record of `event` before it, else for the next
    kSynchronise,  // the host waits for `stream`, or for all streams
    kRepeat,       // the calls up to the matching kEnd, `count` times
    kEnd,
  };
  static constexpr std::uint32_t kAllStreams = ~std::uint32_t{0};

  Kind kind = Kind::kCpu;
  std::uint32_t stream = 0;
  std::uint32_t buffer = 0;
  std::uint32_t kernel = 0;
  std::uint32_t event = 0;
  std::uint64_t bytes = 0;
  std::uint64_t time_ps = 0;
  std::uint64_t count = 0;  // kRepeat, at least 1
  bool asynchronous = false;
};

struct ApiProgram {
  std::string name;
  std::vector<ApiBuffer> buffers;
  std::vector<ApiKernel> kernels;
  std::vector<std::string> streams;  // at least one
  std::vector<std::string> events;
  std::vector<ApiCall> calls;  // kRepeat and kEnd balanced
};

// Whether the call becomes a command in its stream; the others are the host's alone.
bool goes_to_gpu(const ApiCall& call);

// By kernel: how often one execution of the program launches it.
std::vector<std::uint64_t> launches_per_execution(const ApiProgram& program);

}  // namespace heddle
