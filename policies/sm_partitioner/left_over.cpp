// Left-over (Warped-Slicer, Section III; Cruz et al., Sections 3 and 4). The oldest kernel gets all the
// blocks it can use on every SM, and the next kernel gets the remaining resources, block by block. The first
// block of a kernel is issued after the last block of every older kernel, even if there was room for it
// before. Both papers report this order.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class LeftOver final : public SmPartitioner {
 public:
  explicit LeftOver(const PolicyParameters&) {}

  void partition(const MachineView& machine, Partition& partition) override {
    share_every_sm(machine, partition);
  }
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool honours_sm_sets() const override { return true; }
};

HEDDLE_POLICY(SmPartitioner, LeftOver, "left-over",
              "several kernels on an SM, a younger one in what the older ones have left over",
              "Warped-Slicer, Section III, Figure 2b; Cruz et al., Algorithms 1 and 2", {});

}  // namespace

}  // namespace heddle
