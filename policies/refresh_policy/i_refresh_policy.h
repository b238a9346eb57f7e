#pragma once
// Decision `refresh_policy`: when a refresh of DRAM is issued. The memory controller asks once for each
// refresh, of all banks or of the next banks in turn, after it has issued the one before. The policy is
// chosen where the DRAM is described: dram.refresh_policy.

#include <cstdint>

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

// Cycles are those of the command clock (CK).
struct RefreshView {
  Cycle due;                   // the standard's time of the refresh
  std::uint64_t interval = 0;  // from one due refresh to the next
  // The last cycle to which the refresh may be postponed. It follows from dram.refresh_postpone and is `due`
  // if no refresh may be postponed.
  Cycle latest;
};

// The controller issues the refresh in the first cycle from `when_idle` on in which no request waits for its
// banks, and at the latest from `when_busy` on: due <= when_idle <= when_busy <= latest.
struct RefreshTimes {
  Cycle when_idle;
  Cycle when_busy;
};

class RefreshPolicy : public Policy {
 public:
  static constexpr const char* kDecision = "refresh_policy";
  static constexpr const char* kDefault = "defer-until-empty";  // of a platform that names none
  static constexpr const char* kElsewhere =
      "the policy of refreshes is chosen where the DRAM is described: dram.refresh_policy";
  static bool is_asked(const GpuDescription&) { return false; }  // a memory controller asks, not the GPU

  virtual RefreshTimes decide(const RefreshView& refresh) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(RefreshPolicy);

}  // namespace heddle
