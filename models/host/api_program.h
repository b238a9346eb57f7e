#pragma once
// An ApiProgram has an application's calls of the GPU runtime, which a host process replays. Names are
// resolved to indices.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/code_options.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

class HostScript;

// In a program with a script each launch gives blocks and shape anew, and the script opens the kernel's code.
// A shape without threads is not known before the launch.
struct ApiKernel {
  std::string name;
  std::uint64_t blocks = 0;
  BlockShape shape;
  std::uint64_t block_cycles = 0;  // residence on the timed SM, core cycles
  std::uint32_t jitter_permille = 0;
  bool restartable = false;  // its blocks may start over; without a script, which knows it for each launch
  // What a block on a timed SM moves to and from DRAM, and between the SM and L2, in sectors of 32 bytes.
  std::uint32_t dram_sectors = 0;
  std::uint32_t l2_sectors = 0;
  std::uint16_t port_load = 0;                // see KernelLaunch
  std::uint16_t product_load = 0;             // the same
  KernelBound bound = KernelBound::kUnknown;  // as stated; see the decision `submission`
  // Its blocks wait for each other, so that a launch is never cut into pieces. A script says so by launch.
  bool is_cooperative = false;
  // The first product of matrices of an executed kernel with its file and line; empty: it needs no tensor
  // unit.
  std::string matrix_product;
  // The same of a product of a warpgroup; empty: it needs no unit for such products.
  std::string group_product;
  // The first copy in bulk of an executed kernel with its file and line; empty: it needs no copy unit.
  std::string bulk_copy;
  // Opens the code of a launch. Null for timed kernels.
  std::function<std::unique_ptr<KernelProgram>(const CodeOptions& options)> program;
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
    kCopyDown,    // the same from device to host
    kCopyAcross,  // `bytes` from `other` at `other_offset` to `buffer` at `offset`, both on the device, which
                  // do not overlap; returns at once
    kFill,        // `bytes` of `buffer` on the device become `value`; returns at once
    kSwap,        // `buffer` and `other` exchange their device addresses
    kLaunch,      // `kernel`; returns at once
    kRecord,      // `event`
    kWait,        // the stream waits for the latest record of `event` before this call, or for the next one
    kSynchronise,  // the host waits for `stream`, or for all streams
    kQuery,        // the host asks the runtime, which needs nothing of the GPU
    kHost,         // the script performs `action`
    kRepeat,  // repeats the calls up to the matching kEnd `count` times, or while the script's `action` says
              // so; a count of 0 leaves them out
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
  std::uint32_t other = kOwn;      // copies up and down: the buffer whose host memory it is; kOwn: `buffer`
  std::uint64_t other_offset = 0;  // of the first byte in `other`, also if it is kOwn
  std::uint8_t value = 0;
  std::uint32_t action = kNoAction;  // kHost, kRepeat
  std::uint32_t number = 0;          // kLaunch: the script's number of the launch
  std::int32_t priority = 0;         // kLaunch: added to that of the process; larger goes first
  std::uint32_t sm_set = 0;  // kLaunch: a number of ApiProgram::sm_sets from 1 on; 0: it runs on every SM
  std::uint64_t time_ps = 0;
  std::uint64_t count = 0;  // kRepeat: the rounds; with an action the most rounds, 1 or more
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
  // The sets of SMs on which launches run alone: the numbers of the SMs in ascending order. The first set has
  // the number 1.
  std::vector<std::vector<std::uint32_t>> sm_sets;
  std::vector<ApiCall> calls;  // kRepeat and kEnd balanced
  // The first calls are the setup, which a server does once and every other process with each execution. What
  // it allocates stays allocated between the requests.
  std::size_t setup_calls = 0;
  // Gives the sizes, blocks, times and rounds of a program the values that they have for a request. Throws
  // std::runtime_error, with the place of the key and the request's parameters, for one that cannot be. Empty
  // if the program has no parameters; otherwise they have typical values before the first request.
  std::function<void(const RequestValues& values, ApiProgram& program)> set_request;
  // Makes a script for each process that runs a program whose kernels are executed. Null if it needs none.
  std::function<std::unique_ptr<HostScript>()> make_script;
  // Sets the stream that its kernels print to from now on; null drops the output. Empty if its kernels print
  // nothing.
  std::function<void(std::ostream*)> print_to;
};

// Returns whether the call becomes a command in its stream. The host performs the other calls.
bool goes_to_gpu(const ApiCall& call);

// Returns whether the call is a copy or a fill.
bool moves_data(const ApiCall& call);

// Throws std::runtime_error if the buffer has no such bytes.
void check_range(const ApiBuffer& buffer, std::uint64_t offset, std::uint64_t bytes);

// Returns by kernel how often one execution of the program launches it. It is the least number where a script
// ends loops.
std::vector<std::uint64_t> launches_per_execution(const ApiProgram& program);

}  // namespace heddle
