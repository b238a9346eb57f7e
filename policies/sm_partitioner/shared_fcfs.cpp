// Every SM serves its kernels first come, first served (Warped-Slicer, Section III, Figure 2a). They issue in
// turn, one block each if it fits. Registers and shared memory fragment: the room of an ended small block is
// soon taken by another small block, and the free ranges may be too small for a large block.

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
  bool honours_sm_sets() const override { return true; }
};

HEDDLE_POLICY(SmPartitioner, SharedFcfs, "shared-fcfs",
              "several kernels on an SM, blocks of each in turn as they fit",
              "Warped-Slicer, Section III, Figure 2a", {});

}  // namespace

}  // namespace heddle
