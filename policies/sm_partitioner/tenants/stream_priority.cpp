// Stream priorities of CUDA (CUDA C++ Programming Guide, "Stream Priorities"). Whenever an SM has room, a
// block of a kernel of higher priority goes before one of lower priority, and nothing that runs is stopped.
// Kernels share SMs as under `left-over`: by rule A2 of Amert et al. (RTSS 2017, Section 4), which they found
// on a TX2, a block of a queue is eligible only when all queues of higher priority are empty. So a kernel of
// lower priority waits while one of higher priority has blocks to issue, even if only its own block would
// fit; among equal priorities the oldest kernel goes first.
//
// The guide speaks of the streams of one process. Whether priorities of several processes are compared is not
// documented outside of MPS, whose clients have priorities of their own (MPS documentation, environment
// variable CUDA_MPS_CLIENT_PRIORITY). `contexts` says so: under `several`, kernels of all contexts are
// compared; under `one`, kernels of one context at a time are on the GPU. No kernel of it starts that goes
// after one of another context, and when its last one has left, the context with the kernel of the highest
// priority follows.

#include <algorithm>

#include "policies/sm_partitioner/demand.h"
#include "policies/sm_partitioner/priority_order.h"

namespace heddle {

namespace {

class StreamPriority final : public SmPartitioner {
 public:
  explicit StreamPriority(const PolicyParameters& parameters) : one_(parameters.name("contexts") == "one") {}

  void partition(const MachineView& machine, Partition& partition) override {
    by_priority(machine, order_);
    active_ = one_ ? active_context(machine) : ContextId::none();
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      slices_.clear();
      bool other_is_next = false;
      for (const KernelView* kernel : order_) {
        other_is_next = other_is_next || (one_ && kernel->context != active_);
        const bool may_start =
            !other_is_next || (kernel->context == active_ && is_on_an_sm(machine, *kernel));
        if (has_slice(partition.slices(sm), kernel->ksr) ||
            (kernel->unissued > 0 && may_start && kernel->may_run_on(sm)))
          slices_.push_back({kernel->ksr});
      }
      partition.slices(sm).assign(slices_.begin(), slices_.end());
    }
  }
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool honours_sm_sets() const override { return true; }
  bool one_context() const override { return one_; }
  bool uses_priorities() const override { return true; }
  bool may_hold(const MachineView&, ContextId context, std::size_t) const override {
    return !one_ || context == active_;
  }

 private:
  // Returns the context whose kernels are on SMs, or else the one of the kernel that goes first.
  ContextId active_context(const MachineView& machine) const {
    for (const SmView& sm : machine.sms)
      for (const SliceView& slice : sm.slices) return machine.kernel(slice.slice.kernel).context;
    return order_.empty() ? ContextId::none() : order_.front()->context;
  }

  static bool is_on_an_sm(const MachineView& machine, const KernelView& kernel) {
    return std::any_of(machine.sms.begin(), machine.sms.end(), [&](const SmView& sm) {
      return std::any_of(sm.slices.begin(), sm.slices.end(),
                         [&](const SliceView& slice) { return slice.slice.kernel == kernel.ksr; });
    });
  }

  const bool one_;
  ContextId active_ = ContextId::none();
  std::vector<const KernelView*> order_;
  std::vector<Slice> slices_;  // the new slices of one SM
};

HEDDLE_POLICY(SmPartitioner, StreamPriority, "stream-priority",
              "blocks of kernels of higher priority before those of lower ones, as SMs have room",
              "CUDA C++ Programming Guide, Stream Priorities; Amert et al., RTSS 2017, rule A2",
              {{"contexts",
                "name",
                PolicyValue(std::string("several")),
                0,
                0,
                "whose kernels share the GPU: of all contexts, or of one at a time; not documented across "
                "processes",
                false,
                {"several", "one"}}});

}  // namespace

}  // namespace heddle
