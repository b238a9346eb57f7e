#pragma once
// Decision `block_throttle`: the most blocks of a kernel that an SM holds, below what its resources and the
// kernel's quota allow.
//
// The SM driver asks separately for each slice, which is one kernel on one SM: when the slice can issue its
// first block, when one of its blocks has ended, and when the totals that the policy asked for have come.
// Each answer is the cap from then on. A lowered cap ends no block; where the policy pauses, the youngest
// blocks above the cap issue no instruction until a block ends or the cap rises. A slice at its cap makes no
// claim on the SM: slices behind it may issue.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/kernel/kernel_stalls.h"
#include "models/core/kernel/sm_work.h"
#include "policies/registry.h"

namespace heddle {

struct ThrottleView {
  SmId sm;
  KsrId ksr;
  KernelId kernel;  // the launch
  ContextId context;
  std::uint32_t tag = 0;  // the driver's number of the code, the same for all its launches in a context
  // The most blocks without a throttle, 1 or more: the quota, or fewer where not so many fit beside the
  // slices that go before this one on the SM. Such a slice counts with the blocks that it may have, or once
  // its kernel has none left to issue, with those that it has.
  std::uint32_t most = 1;
  std::uint32_t running = 0;   // blocks on the SM
  std::uint64_t unissued = 0;  // blocks of the kernel that no SM has
  Cycle now;
};

// The totals of a kernel on an SM. They grow as long as its slice is there. They begin at an arbitrary value,
// so that only differences mean something; any reader takes them at its own time.
struct SliceTotals {
  Cycle until;  // the first core cycle that is not in them
  KernelCounts counts;
  KernelStalls stalls;  // all zero unless the policy reads stalls
};

struct ThrottleAnswer {
  static constexpr std::uint32_t kNoCap = ~std::uint32_t{0};
  std::uint32_t cap = kNoCap;        // 1 or more
  Cycle sample_at = Cycle::never();  // when the totals are taken next; a cycle in the past is now
  bool settled = false;              // the policy has made its choice
};

class BlockThrottle : public Policy {
 public:
  static constexpr const char* kDecision = "block_throttle";
  static constexpr bool kTakesRtl = true;

  // Properties of all answers, always the same.
  virtual bool caps() const { return true; }           // false: there is never a cap, and nothing is asked
  virtual bool reads_stalls() const { return false; }  // whether totals must have the kernel's stalls
  virtual bool pauses() const { return false; }        // whether blocks above a lowered cap are paused

  // The slice has come to the SM, or the most blocks that it may have are other ones than before. What the
  // policy knows of the slice in this place is over.
  virtual ThrottleAnswer started(const ThrottleView& slice) = 0;
  // A block of the slice has ended, `cycles` core cycles after its issue.
  virtual ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t cycles, const SmWork& work) = 0;
  // The totals are those of `sample_at` or later.
  virtual ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) = 0;
  virtual void reset() {}
};

HEDDLE_DECISION(BlockThrottle);

// Why a policy that needs the counters of warps cannot run on this GPU; empty if it can.
std::string needs_cycle_sms(const char* name, const GpuDescription& gpu);

// A policy's state of every slice, by SM and KSR.
template <class State>
class BySlice {
 public:
  State& operator[](const ThrottleView& slice) {
    const std::size_t sm = slice.sm.value;
    if (sm >= places_.size()) places_.resize(sm + 1);
    std::vector<State>& here = places_[sm];
    if (slice.ksr.value >= here.size()) here.resize(std::size_t{slice.ksr.value} + 1);
    return here[slice.ksr.value];
  }
  void clear() { places_.clear(); }

 private:
  std::vector<std::vector<State>> places_;
};

}  // namespace heddle
