#pragma once
// The trace of instructions and requests. Somebody follows some warps, and the blocks of the GPU tell what
// happens to the instructions and requests of these warps.
//
// A block has a TraceSink, which it gets before the start of simulation; without a trace it has none. The
// events of one sink come from one thread at a time. A request that is followed has a number, which stands in
// MemoryRequest::trace and RequestInfo::trace and goes with it from block to block. The fills and write-backs
// that an L2 slice sends to DRAM have the number of the request that caused them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

enum class TraceStage : std::uint8_t {
  // Of a warp and its instructions, in an SM.
  kStart,      // the warp has its slot
  kFetch,      // instructions are read from the instruction cache
  kDecode,     // they are in the instruction buffer
  kWait,       // the warp has not issued from `since` to `at`, for the reason that the detail names
  kIssue,      // to the port of a unit
  kOperands,   // the last source register has been read
  kDispatch,   // the instruction leaves its collector for a pipeline or for the queue of the memory unit
  kAccess,     // of one line in a cache, or one pass over shared memory
  kWriteBack,  // the results are in the register file, or memory has taken the stores
  kBarrier,    // the warp has arrived
  kEnd,        // the warp has issued its last instruction
  // Of a request, in an SM.
  kRequest,  // the memory unit or the front end has made it
  kSend,     // it leaves the SM
  kAnswer,   // the SM has the answer
  // In the crossbar.
  kRequestIn,  // it enters the input buffer; it has been at the port since `since`
  kRequestOut,
  kReplyIn,
  kReplyOut,
  // In an L2 slice.
  kL2Access,  // the tags; the request has been at the head of its queue since `since`
  kL2ToDram,  // a fill or a write-back leaves
  kL2Fill,    // the data of a fill have arrived
  kL2Reply,
  // In a DRAM channel.
  kDramArrive,   // it is taken from its port
  kDramQueue,    // the controller has it in its queue
  kDramCommand,  // a command for it is issued
  kDramReply,
};
constexpr std::size_t kTraceStages = static_cast<std::size_t>(TraceStage::kDramReply) + 1;
const char* name_of(TraceStage stage);  // "issue"

enum class TraceClock : std::uint8_t { kCore, kIcnt, kL2, kDram };
constexpr std::size_t kTraceClocks = 4;
const char* name_of(TraceClock clock);

struct TraceEvent {
  TraceStage stage = TraceStage::kStart;
  Cycle at;                   // in cycles of the block's clock
  Cycle since;                // when what ends here began; `at` for a moment
  SmId sm;                    // none: the event is of a request, which has been named before
  std::uint32_t warp = 0;     // slot
  std::uint32_t request = 0;  // its number; 0: the event is of no request
  std::uint32_t pc = 0;       // of kIssue and the stages behind it
  Address address = 0;        // of the bytes; without `bytes` of nothing
  std::uint32_t bytes = 0;
  std::string detail;  // without a comma
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void add(TraceEvent event) = 0;
};

// Cycles of the core clock, both included.
struct TraceWindow {
  Cycle first{0};
  Cycle last = Cycle::never();
};

class TraceObserver {
 public:
  virtual ~TraceObserver() = default;
  // Gives a block its sink. Equal times are shown in the order of these calls.
  virtual TraceSink& sink(const std::string& place, TraceClock clock) = 0;
  // Returns when the warp is followed that a block of this kernel has in this slot; empty: never. SMs may
  // call this function at the same time.
  virtual std::vector<TraceWindow> windows(SmId sm, std::uint32_t slot, ContextId context,
                                           std::uint32_t tag) const = 0;
  // Returns the name of the kernel, as above.
  virtual std::string kernel(ContextId context, std::uint32_t tag) const = 0;
};

}  // namespace heddle
