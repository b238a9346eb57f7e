#pragma once
// Who watches the execution engine: timelines, probes, tests. Every transition of a KSR and of an SMSR slice
// is told, in the order in which it happens. An observer only looks; with none attached nothing is paid but
// one test.

#include "models/core/base/ids.h"
#include "models/core/kernel/messages.h"

namespace heddle {

enum class KernelEvent : std::uint8_t {
  kLoaded,     // a KSR was filled
  kActivated,  // launch latency over: in the active queue
  kHalted,     // no block of it will be issued any more, and those that run are cut short
  kEnded,      // its last block is done
};

enum class SliceEvent : std::uint8_t {
  kReserved,  // waits on an SM that another kernel is leaving
  kSetUp,     // the SM is being set up for it
  kRunning,   // the SM is set up
  kLeaving,   // its drain has started
  kReturned,  // its drain was called off: the SM is given back
  kFreed,     // it holds nothing of the SM any more
};

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  virtual void kernel_event(Cycle, KernelEvent, KsrId, const KernelLaunch&) {}
  virtual void slice_event(Cycle, SliceEvent, SmId, KsrId) {}
  virtual void block_issued(Cycle, SmId, KsrId, BlockId) {}
  virtual void block_done(Cycle, SmId, KsrId, BlockId, const SmWork&) {}
  virtual void context_halted(Cycle, ContextId) {}
  virtual void scheduled(Cycle) {}  // a scheduling point has been dealt with
};

// Who watches the DMA engines.
class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  // A transfer is complete. Cycles of the PCIe clock: its first burst was requested, its last one answered.
  virtual void transferred(Cycle begin, Cycle end, const Transfer& transfer) = 0;
};

}  // namespace heddle
