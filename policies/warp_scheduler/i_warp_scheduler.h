#pragma once
// Decision `warp_scheduler`: which warp issues.
//
// One policy object for each scheduler of each SM, asked once a cycle in which a warp of its own can issue.
// A warp is named by its slot on the SM. All masks hold warps of this scheduler only.

#include <cstdint>

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

// The class of an operation: the kind of unit that executes it, or a barrier.
enum class OperationClass : std::uint8_t {
  kUnknown,  // the warp's instruction buffer is empty
  kAlu,      // integer, single and double precision, tensor, and control flow
  kSfu,
  kMemory,
  kBarrier,
};

struct WarpView {
  KsrId kernel;  // the kernel's status register on the GPU
  ContextId context;
  BlockId block;             // of the kernel's grid
  std::uint32_t number = 0;  // of the warp in its block, from 0
  Cycle started;             // core cycle in which the block started on the SM; all its warps start with it
  OperationClass next = OperationClass::kUnknown;  // of the warp's next instruction
};

// What is known of each warp, for a policy that asks; nothing is computed before.
class WarpViews {
 public:
  virtual ~WarpViews() = default;
  virtual WarpView warp(std::uint32_t slot) const = 0;  // of a live warp of this scheduler
};

struct IssueView {
  std::uint64_t candidates = 0;      // can issue now; never empty
  std::uint64_t live = 0;            // have instructions left
  std::uint64_t wait_long = 0;       // of those, the ones that wait for a load or at a barrier
  const WarpViews* warps = nullptr;  // never null on an SM; valid during the call
  Cycle now;                         // core cycle
};

class WarpScheduler : public Policy {
 public:
  static constexpr const char* kDecision = "warp_scheduler";
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_cycle_sms; }

  static constexpr std::uint32_t kDecline = ~std::uint32_t{0};
  // One of the candidates, or kDecline: none may issue now.
  virtual std::uint32_t pick(const IssueView& view) = 0;

  // A warp starts in a free slot: it is the youngest. A warp ends.
  virtual void started(std::uint32_t) {}
  virtual void ended(std::uint32_t) {}
  virtual void reset() = 0;
};

HEDDLE_DECISION(WarpScheduler);

}  // namespace heddle
