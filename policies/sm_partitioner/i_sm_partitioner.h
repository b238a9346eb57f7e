#pragma once
// Decision `sm_partitioner`: which kernel holds which SM.
//
// Asked at a scheduling point: a kernel entered the active queue or ended, an SM became idle, a kernel ran
// out of blocks for a slice, a context's priority or tokens changed, or the SMs have told the samples it
// asked for. The view is read only. The partition comes in as it stands; the policy changes what it wants
// changed. A slice it leaves out is preempted: the preemption policy decides how it is handed over, and what
// the partition puts there instead starts when the last leaving block has left. A lowered quota only stops
// refills. Ties break by arrival, then by SM number.

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
  KernelId kernel;              // as samples name it: a KSR is used again
  BlockResources block;         // what one block holds on an SM
  std::uint32_t tag = 0;        // the driver's own number: the same code of a context has the same
};

// One kernel's share of one SM.
struct Slice {
  static constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};
  KsrId kernel;
  std::uint32_t quota = kUnlimited;  // most resident blocks

  friend bool operator==(const Slice& a, const Slice& b) {
    return a.kernel == b.kernel && a.quota == b.quota;
  }
};

// A slice as it stands. A waiting one starts when the last leaving one has left (CUsched: next kernel of a
// reserved SM).
enum class SliceState : std::uint8_t { kWaiting, kSettingUp, kRunning, kLeaving };

struct SliceView {
  Slice slice;
  SliceState state = SliceState::kWaiting;
  std::uint32_t running = 0;  // blocks on the SM
};

struct SmView {
  std::vector<SliceView> slices;  // the partition in its order, and those that are leaving
  SmSample sample;                // the latest; see SmPartitioner::sample_period()

  // The first slice that stays: running there, or next once the leaving one has left. Null: none.
  const SliceView* staying() const;
  KsrId holder() const;  // its kernel, or none
  bool idle() const { return slices.empty(); }
  bool reserved() const;          // a kernel is leaving
  std::uint32_t running() const;  // blocks, of whatever kernel
};

struct MachineView {
  std::vector<KernelView> kernels;    // in order of arrival
  std::vector<ContextView> contexts;  // by context id
  std::vector<SmView> sms;            // by SM id
  SmLimits limits;                    // of every SM
  // Of the blocks on any SM, for a policy that asks; never null on an engine, valid during the call.
  const HandoverCosts* costs = nullptr;

  const KernelView& kernel(KsrId ksr) const;  // one in the active queue
};

// Which slice of an SM issues its next block.
enum class IssueOrder : std::uint8_t {
  kFirstThatFits,    // the first with a block that fits
  kInTurn,           // the same, but the search starts behind the slice that issued last there
  kOneAfterAnother,  // the first with a block left; those behind it wait though theirs would fit
};

// Per SM the slices it shall have, in the order in which they are offered an issue slot.
class Partition {
 public:
  explicit Partition(std::size_t sms) : slices_(sms) {}
  std::size_t sms() const { return slices_.size(); }
  const std::vector<Slice>& slices(std::size_t sm) const { return slices_[sm]; }
  std::vector<Slice>& slices(std::size_t sm) { return slices_[sm]; }

  // The whole SM to one kernel.
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

  // On entry `partition` holds, SM by SM, the slices of `machine` that are not leaving.
  virtual void partition(const MachineView& machine, Partition& partition) = 0;
  // Core cycles from one sample of every SM to the next, always the same; 0: it reads none. They are taken
  // while a kernel is on the engine, of all SMs over the same cycles: as the first one comes (a window of the
  // idle time before, which may be empty), every period from then on, and when the last has gone. A period
  // shorter than the way to the SMs and back becomes as long. A new sample has another `until`.
  virtual std::uint64_t sample_period() const { return 0; }
  virtual IssueOrder issue_order() const { return IssueOrder::kFirstThatFits; }  // always the same

  // What the policy promises of all its partitions; each is always the same. The conformance suite holds a
  // policy to them.
  virtual bool shares_sms() const { return false; }       // true: several kernels may be on an SM at once
  virtual bool one_context() const { return false; }      // true: no SM for a second context's kernels
  virtual bool uses_priorities() const { return false; }  // false: a context's priority changes nothing
  // What it has chosen so far, in order; empty: it does not choose. At most the first kMostDecisions.
  virtual const std::vector<PartitionDecision>& decisions() const;
  static constexpr std::size_t kMostDecisions = 1000;
  virtual void reset() {}
};

HEDDLE_DECISION(SmPartitioner);

}  // namespace heddle
