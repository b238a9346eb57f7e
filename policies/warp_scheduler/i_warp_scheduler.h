#pragma once
// Decision `warp_scheduler`: which warp issues.
//
// Each scheduler of each SM has a policy object of its own. The SM asks it once in every cycle in which a
// warp of the scheduler can issue. A warp is named by its slot on the SM, and the bit of that number stands
// for the warp in a mask. All masks hold warps of this scheduler only.

#include <cstdint>

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

// The class of an operation: the kind of unit that executes it, or a barrier.
enum class OperationClass : std::uint8_t {
  kUnknown,  // the next instruction is not known, because the warp's instruction buffer is empty
  kAlu,      // integer, single and double precision, tensor and control flow
  kSfu,
  kMemory,
  kBarrier,
};

struct WarpView {
  KsrId kernel;  // the kernel's status register on the GPU
  ContextId context;
  BlockId block;
  std::uint32_t number = 0;  // the number of the warp in its block, from 0
  Cycle started;             // core cycle in which the block started on the SM; its warps start together
  // Counts the set-ups of the SM for a kernel. An older kernel of the SM has a smaller number.
  std::uint64_t set_up = 0;
  OperationClass next = OperationClass::kUnknown;  // the class of the warp's next instruction
};

// The warps of an SM as a policy may ask for them. An SM computes a view only when a policy asks.
class WarpViews {
 public:
  virtual ~WarpViews() = default;
  virtual WarpView warp(std::uint32_t slot) const = 0;  // the slot is that of a live warp of this scheduler
};

struct IssueView {
  std::uint64_t candidates = 0;      // warps that can issue now; at least one
  std::uint64_t live = 0;            // warps with instructions left
  std::uint64_t wait_long = 0;       // live warps that wait for a load or at a barrier, or are paused
  const WarpViews* warps = nullptr;  // null only in tests; valid during the call
  Cycle now{};                       // the core cycle
};

class WarpScheduler : public Policy {
 public:
  static constexpr const char* kDecision = "warp_scheduler";
  static constexpr bool kTakesRtl = true;
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_cycle_sms; }

  static constexpr std::uint32_t kDecline = ~std::uint32_t{0};
  // Returns one of the candidates, or kDecline to issue from none of them in this cycle.
  virtual std::uint32_t pick(const IssueView& view) = 0;

  // A warp starts in a free slot and is then the youngest one, or the warp of a slot ends. The view of a warp
  // that starts has no next instruction yet.
  virtual void started(std::uint32_t, const WarpView&) {}
  virtual void ended(std::uint32_t) {}
  // Decides from now on as if the last pick() had returned this slot, which was a candidate.
  virtual void follow(std::uint32_t) {}
  // Returns whether pick() returns the only candidate wherever there is just one, and then has the effect of
  // follow(). The SM then calls follow() instead, which needs no view.
  virtual bool takes_only_candidate() const { return false; }
  virtual void reset() = 0;
};

HEDDLE_DECISION(WarpScheduler);

}  // namespace heddle
