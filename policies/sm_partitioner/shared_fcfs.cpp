// First come, first served within every SM (Warped-Slicer, Section III, Figure 2a): the kernels issue in
// turn, each a block that fits. Nothing keeps room together: what small blocks leave is soon taken by small
// blocks, and may lie in pieces that hold no large one.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class SharedFcfs final : public SmPartitioner {
 public:
  explicit SharedFcfs(const PolicyParameters&) {}

  void partition(const MachineView& machine, Partition& partition) override {
    share_every_sm(machine, partition);
  }
  IssueOrder issue_order() const override { return IssueOrder::kInTurn; }
  bool shares_sms() const override { return true; }
};

HEDDLE_POLICY(SmPartitioner, SharedFcfs, "shared-fcfs",
              "several kernels on an SM, blocks of each in turn as they fit",
              "Warped-Slicer, Section III, Figure 2a", {});

}  // namespace

}  // namespace heddle
