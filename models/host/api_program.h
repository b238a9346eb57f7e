#pragma once
// An application's calls of the GPU runtime, as a host process replays them. Names are resolved to indices.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

class HostScript;

// Of a program with a script, launches say blocks and shape anew, and the script opens the kernel's code; a
// shape without threads is not known before.
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
    kCpu,         // the host computes for `time_ps`
    kAllocate,    // `buffer`
    kFree,        // `buffer`, when all streams are done
    kCopyUp,      // `bytes` of `buffer`, host to device; returns when done unless `asynchronous`
    kCopyDown,    // ... device to host
    kCopyAcross,  // `bytes` from `other` at `other_offset` to `buffer` at `offset`, both on the device, which
                  // do not overlap; returns at once
    kFill,        // `bytes` of `buffer` on the device become `value`; returns at once
    kSwap,        // `buffer` and `other` exchange where they lie on the device
    kLaunch,      // `kernel`; returns at once
    kRecord,      // `event`
    kWait,        // the stream waits for the latest record of `event` before it, else for the next
    kSynchronise,  // the host waits for `stream`, or for all streams
    kHost,         // the script performs `action`
    kRepeat,  // the calls up to the matching kEnd, `count` times, or while the script says so of `action`
    kEnd,
  };
  static constexpr std::uint32_t kAllStreams = ~std::uint32_t{0};
  static constexpr std::uint32_t kOwn = ~std::uint32_t{0};
  static constexpr std::uint32_t kNoAction = ~std::uint32_t{0};

  Kind kind = Kind::kCpu;
  std::uint32_t stream = 0;
  std::uint32_t buffer = 0;
  std::uint32_t kernel = 0;
  std::uint32_t event = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;        // of the first byte in `buffer` on the device
  std::uint32_t other = kOwn;      // copies up and down: whose host memory; kOwn: that of `buffer`
  std::uint64_t other_offset = 0;  // there, also of kOwn
  std::uint8_t value = 0;
  std::uint32_t action = kNoAction;  // kHost, kRepeat
  std::uint32_t number = 0;          // kLaunch: the script's own
  std::uint64_t time_ps = 0;
  std::uint64_t count = 0;  // kRepeat, at least 1; with an action: at most
  bool asynchronous = false;

  std::uint32_t host_buffer() const { return other == kOwn ? buffer : other; }      // kCopyUp, kCopyDown
  std::uint64_t certain_rounds() const { return action == kNoAction ? count : 1; }  // kRepeat
};

struct ApiProgram {
  std::string name;
  std::vector<ApiBuffer> buffers;
  std::vector<ApiKernel> kernels;
  std::vector<std::string> streams;  // at least one
  std::vector<std::string> events;
  std::vector<ApiCall> calls;  // kRepeat and kEnd balanced
  // Of a program whose kernels are executed: a script for each process that runs it. Null: none is needed.
  std::function<std::unique_ptr<HostScript>()> make_script;
  // Where what its kernels print goes from now on; null: nowhere. Empty: they print nothing.
  std::function<void(std::ostream*)> print_to;
};

// Whether the call becomes a command in its stream; the others are the host's alone.
bool goes_to_gpu(const ApiCall& call);

// Throws std::runtime_error where the buffer has no such bytes.
void check_range(const ApiBuffer& buffer, std::uint64_t offset, std::uint64_t bytes);

// By kernel: how often one execution of the program launches it; at least, where a script says when loops
// end.
std::vector<std::uint64_t> launches_per_execution(const ApiProgram& program);

}  // namespace heddle
