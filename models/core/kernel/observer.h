#pragma once
// Observers watch the execution engine: timelines, probes and tests. The engine reports every transition of a
// KSR and of an SMSR slice in the order in which they happen. An observer changes nothing. Without observers
// a report costs one test.

#include "models/core/base/ids.h"
#include "models/core/kernel/messages.h"
#include "models/core/kernel/sm_work.h"

namespace heddle {

enum class KernelEvent : std::uint8_t {
  kLoaded,     // a KSR was filled
  kActivated,  // the launch latency is over, and the kernel is in the active queue
  kHalted,     // the engine issues no further block of it, and the running blocks are cut short
  kEnded,      // its last block is done
};

enum class SliceEvent : std::uint8_t {
  kReserved,  // the slice waits on an SM that another kernel is leaving
  kSetUp,     // the SM is being set up for it
  kRunning,   // the SM is set up
  kLeaving,   // its hand-over has started
  kReturned,  // its hand-over was cancelled, and the slice keeps the SM
  kFreed,     // it holds no resource of the SM any more
};

// How the blocks of a slice left its SM. kMixed: not all in the same way.
enum class HandoverWay : std::uint8_t { kDrain, kSwitch, kFlush, kMixed };
constexpr std::size_t kHandoverWays = 4;
inline const char* name_of(HandoverWay way) {
  constexpr const char* kNames[kHandoverWays] = {"drain", "switch", "flush", "mixed"};
  return kNames[static_cast<std::size_t>(way)];
}

// What a block throttle did with a slice, when the slice leaves its SM.
struct ThrottleReport {
  std::uint32_t most = 0;              // the most blocks without a throttle
  std::uint32_t cap = 0;               // the last cap, or `most` if that is lower
  std::uint64_t samples = 0;           // that the throttle took
  bool settled = false;                // the throttle made its choice
  std::uint64_t cycles = 0;            // of the slice on the SM
  std::uint64_t cycles_to_settle = 0;  // of these, before the choice
};

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  virtual void kernel_event(Cycle, KernelEvent, KsrId, const KernelLaunch&) {}
  virtual void slice_event(Cycle, SliceEvent, SmId, KsrId) {}
  virtual void slice_throttled(Cycle, SmId, KsrId, const ThrottleReport&) {}
  virtual void block_issued(Cycle, SmId, KsrId, BlockId) {}
  virtual void block_done(Cycle, SmId, KsrId, BlockId, const SmWork&) {}
  // The block has left the SM for swap space. Or it was flushed: it has left the SM, and this work and these
  // core cycles from its issue on are lost. Either way it comes back to an SM (block_resumed()), where it
  // goes on or starts over. Or it ends with its context while it is on no SM; it has done so much work then.
  virtual void block_saved(Cycle, SmId, KsrId, BlockId) {}
  virtual void block_flushed(Cycle, SmId, KsrId, BlockId, const SmWork&, std::uint64_t /*cycles*/) {}
  virtual void block_resumed(Cycle, SmId, KsrId, BlockId) {}
  virtual void block_dropped(Cycle, KsrId, BlockId, const SmWork&) {}
  // A slice that was to leave has left, before its kFreed, so many core cycles after the decision.
  virtual void handed_over(Cycle, SmId, KsrId, HandoverWay, std::uint64_t /*cycles*/) {}
  virtual void context_halted(Cycle, ContextId) {}
  // SMs are told these shares of bandwidth from now on.
  virtual void shares_changed(Cycle, const BandwidthTable&) {}
  virtual void scheduled(Cycle) {}  // the partition of a scheduling point has been applied
  virtual void engine_reset() {}    // the engine has no kernel and no slice any more, and counts from cycle 0
};

// A CommandObserver watches the dispatcher.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  // A command at the head of its queue could go, and the engine that it is for holds as many as it can.
  virtual void waits_for_engine(Cycle, const Command&) {}
  virtual void sent(Cycle, const Command&) {}  // a command that has waited so has gone to its engine
};

// A TransferObserver watches the DMA engines. `engine` is the number of one of them.
class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  virtual void transfer_taken(Cycle, std::uint32_t /*engine*/, const Transfer&) {}  // the engine holds it
  // From now on the bursts are those of this transfer.
  virtual void transfer_moves(Cycle, std::uint32_t /*engine*/, const Transfer&) {}
  virtual void transfer_requested(Cycle, std::uint32_t /*engine*/, const Transfer&) {}  // its last burst is
  // A transfer is complete. Its first burst was requested at `begin` and its last one answered at `end`, in
  // cycles of the PCIe clock.
  virtual void transferred(Cycle begin, Cycle end, const Transfer& transfer) = 0;
};

}  // namespace heddle
