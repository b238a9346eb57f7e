#pragma once
// Decision `sm_partitioner`: which kernels hold which SMs, and how much of each.
//
// The SM driver asks at a scheduling point: a kernel entered the active queue or ended, an SM became idle, a
// kernel had no block left to issue for a slice, a context's priority or tokens changed, the SMs sent the
// samples that the policy asked for, or the cycle or the start of a block came that it asked for. The view is
// read only. The policy receives the current partition and changes it. A slice that the policy removes is
// preempted: the preemption policy decides how the SM is handed over, and a slice that the partition names in
// its place starts when the last block of the preempted slice has left. A lowered quota ends no block, but no
// further block is issued above it. A block throttle may hold a slice below its quota; a slice at the lower
// of both makes no claim, and those behind it issue. Ties break by arrival, then by SM number.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/context.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/sm_sample.h"
#include "policies/handover_cost.h"
#include "policies/registry.h"
#include "policies/sm_partitioner/partition_decision.h"

namespace heddle {

// A kernel in the active queue.
struct KernelView {
  KsrId ksr;
  ContextId context;
  std::uint64_t arrival = 0;    // order of entry into the active queue
  std::uint64_t unissued = 0;   // blocks not yet issued
  std::uint64_t running = 0;    // blocks on SMs
  std::uint32_t residency = 0;  // blocks that one empty SM can hold
  KernelId kernel;              // the launch, as samples name it; a KSR is reused by later launches
  BlockResources block;         // what one block holds on an SM
  std::uint32_t tag = 0;        // the driver's number of the code, the same for all its launches in a context
  std::int32_t priority = 0;    // of the launch; see priority_of()
  // By SM, whether the launch may run there (a green context, a mask of its stream); null: on every SM. A
  // policy that honours_sm_sets() gives the kernel no slice elsewhere.
  const std::vector<bool>* sms = nullptr;

  bool may_run_on(std::size_t sm) const { return sms == nullptr || (*sms)[sm]; }
};

// One kernel's share of one SM.
struct Slice {
  static constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};
  KsrId kernel;
  std::uint32_t quota = kUnlimited;  // most resident blocks
  // False: the policy measures the kernel with as many blocks as the quota, and the block throttle leaves the
  // slice alone.
  bool capped = true;

  // Returns the most resident blocks under a cap of the block throttle.
  std::uint32_t limit(std::uint32_t cap) const { return capped ? std::min(quota, cap) : quota; }

  friend bool operator==(const Slice& a, const Slice& b) {
    return a.kernel == b.kernel && a.quota == b.quota && a.capped == b.capped;
  }
};

// The state of a slice. A waiting slice starts when the last leaving slice of its SM has ended; CUsched calls
// its kernel the next kernel of a reserved SM.
enum class SliceState : std::uint8_t { kWaiting, kSettingUp, kRunning, kLeaving };

struct SliceView {
  Slice slice;
  SliceState state = SliceState::kWaiting;
  std::uint32_t running = 0;              // blocks on the SM
  std::uint32_t cap = Slice::kUnlimited;  // of the block throttle
  std::uint32_t restoring = 0;            // blocks on the SM that go on and do not have their state back

  std::uint32_t limit() const { return slice.limit(cap); }  // most resident blocks
};

struct SmView {
  std::vector<SliceView> slices;  // those of the partition in its order, and those that are leaving
  SmSample sample;                // the latest one; see SmPartitioner::sample_period()

  // The first slice that is not leaving; null if there is none.
  const SliceView* staying() const;
  KsrId holder() const;  // the kernel of that slice, or none
  bool idle() const { return slices.empty(); }
  bool reserved() const;          // whether a slice is leaving
  std::uint32_t running() const;  // resident blocks of all kernels
};

struct MachineView {
  std::vector<KernelView> kernels;    // in order of arrival
  std::vector<ContextView> contexts;  // by context id
  std::vector<SmView> sms;            // by SM id
  SmLimits limits;                    // of every SM
  std::size_t first_sm = 0;           // of SMs that are equally free, the first one from here on is taken
  // The cost of handing over any block on any SM; null only in tests, valid during the call.
  const HandoverCosts* costs = nullptr;
  Cycle now{};           // core cycle
  double core_hz = 1e9;  // of the core clock: it converts parameters in units of time to cycles

  const KernelView& kernel(KsrId ksr) const;  // the kernel must be in the active queue
};

// Which slice of an SM issues its next block.
enum class IssueOrder : std::uint8_t {
  kFirstThatFits,  // the first slice with a block that fits
  kInTurn,         // as before, but the search starts after the slice that issued last on the SM
  // The first slice with an unissued block and fewer blocks than it may have; later slices wait even if their
  // blocks fit.
  kOneAfterAnother,
};

// The slices of each SM, in the order in which they may issue.
class Partition {
 public:
  explicit Partition(std::size_t sms) : slices_(sms) {}
  std::size_t sms() const { return slices_.size(); }
  const std::vector<Slice>& slices(std::size_t sm) const { return slices_[sm]; }
  std::vector<Slice>& slices(std::size_t sm) { return slices_[sm]; }

  // Gives the whole SM to one kernel, without a quota.
  void give(std::size_t sm, KsrId kernel) { slices_[sm].assign(1, Slice{kernel}); }
  void take(std::size_t sm) { slices_[sm].clear(); }
  // The kernel of the first slice, or none.
  KsrId holder(std::size_t sm) const {
    return slices_[sm].empty() ? KsrId::none() : slices_[sm].front().kernel;
  }

 private:
  std::vector<std::vector<Slice>> slices_;
};

class SmPartitioner : public Policy {
 public:
  static constexpr const char* kDecision = "sm_partitioner";
  static constexpr bool kTakesRtl = true;

  // On entry `partition` holds, for each SM, the slices of `machine` that are not leaving.
  virtual void partition(const MachineView& machine, Partition& partition) = 0;
  // Core cycles from one sample of every SM to the next, always the same; 0: the policy reads no samples.
  // Samples of all SMs cover the same cycles. They are taken while a kernel is on the engine: when the first
  // kernel arrives (a window of the idle time before it, which may be empty), at every period from then on,
  // and when the last kernel has ended. A period that is shorter than the latency to the SMs and back is
  // extended to that latency. A new sample has another `until`.
  virtual std::uint64_t sample_period() const { return 0; }
  // The core cycle in which the policy is asked again if no scheduling point comes before; never: it waits
  // for the next scheduling point. The driver reads it after each call of partition(), and it is later than
  // the `now` of that call.
  virtual Cycle next_decision() const { return Cycle::never(); }
  // Whether the policy is asked again when a block can issue its first instruction on an SM: in the cycle of
  // its issue, or when a saved one has its state back. The driver reads it after each call of partition().
  virtual bool asked_at_start() const { return false; }
  virtual IssueOrder issue_order() const { return IssueOrder::kFirstThatFits; }  // always the same

  // Properties of all partitions of the policy, always the same. The conformance suite checks them.
  virtual bool shares_sms() const { return false; }       // whether several kernels may be on an SM at once
  virtual bool one_context() const { return false; }      // whether all kernels on SMs are of one context
  virtual bool uses_priorities() const { return false; }  // whether partitions depend on priorities
  // Whether the policy lets kernels of the context on the SM, as of the last call of partition(). A policy
  // that keeps SMs from contexts says so here: no slice stands where it returns false, except that a kernel
  // may keep one that it has, and an SM where it returns true is not idle while a kernel of the context needs
  // one. For a policy that fixes the SMs of a launch when the launch arrives, the
  // answer is about the launches that have arrived, and not about later ones.
  virtual bool may_hold(const MachineView&, ContextId, std::size_t /*sm*/) const { return true; }

  // Whether a kernel gets no slice on an SM on which its launch may not run (KernelView::sms). Always the
  // same. Under another policy the machine refuses applications with such launches.
  virtual bool honours_sm_sets() const { return false; }

  // Whether the SMs of contexts follow their TOKENS registers (ContextView::tokens), which a submission
  // policy with a split writes. Always the same. Beside another policy such a split would have no effect, and
  // is refused.
  virtual bool follows_tokens() const { return false; }

  // Whether each context has a turn of its own in the round robin over SMs (BlockPlacement::kBreadth), so
  // that blocks of one context do not change which SMs those of another one go to. Always the same.
  virtual bool turns_by_context() const { return false; }

  // The decisions of a policy that profiles, in order and at most the first kMostDecisions; empty for all
  // other policies.
  virtual const std::vector<PartitionDecision>& decisions() const;
  static constexpr std::size_t kMostDecisions = 1000;
  // The tokens by context after the last partition, or null: the policy has none. Always the same.
  virtual const std::vector<std::int32_t>* tokens() const { return nullptr; }
  virtual void reset() {}
};

HEDDLE_DECISION(SmPartitioner);

}  // namespace heddle
