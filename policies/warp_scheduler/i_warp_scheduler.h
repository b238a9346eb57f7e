#pragma once
// Decision `warp_scheduler`: which warp issues.
//
// One policy object for each scheduler of each SM, asked once a cycle in which a warp of its own can issue.
// A warp is named by its slot on the SM. All masks hold warps of this scheduler only.

#include <cstdint>

#include "policies/registry.h"

namespace heddle {

struct IssueView {
  std::uint64_t candidates = 0;  // can issue now; never empty
  std::uint64_t live = 0;        // have instructions left
  std::uint64_t wait_long = 0;   // of those, the ones that wait for a load or at a barrier
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
