// Left-over (Warped-Slicer, Section III; Cruz et al., Sections 3 and 4). The oldest kernel gets all the
// blocks it can use on every SM, and the next kernel gets the remaining resources, block by block. The first
// block of a kernel is issued after the last block of every older kernel, even if there was room for it
// before. Both papers report this order, and so do Amert et al. (RTSS 2017, Section 4, rules G3 and X1)
// for the streams of a program on a TX2.
//
// The papers' kernels are of one context, or of several that are treated as one. On a card without MPS, the
// work of two contexts is never on the SMs at once (NVIDIA MPS documentation, "Architecture", "Background").
// `contexts` says so: under `several`, kernels of all contexts share the SMs; under `one`, only those of the
// context of the oldest kernel do, and a kernel that arrived after one of another context waits with it.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class LeftOver final : public SmPartitioner {
 public:
  explicit LeftOver(const PolicyParameters& parameters) : one_(parameters.name("contexts") == "one") {}

  void partition(const MachineView& machine, Partition& partition) override {
    share_every_sm(machine, partition, one_ ? kernels_of_first_context(machine) : machine.kernels.size());
  }
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool one_context() const override { return one_; }
  bool honours_sm_sets() const override { return true; }

 private:
  const bool one_;
};

HEDDLE_POLICY(SmPartitioner, LeftOver, "left-over",
              "several kernels on an SM, a younger one in what the older ones have left over",
              "Warped-Slicer, Section III, Figure 2b; Cruz et al., Algorithms 1 and 2",
              {{"contexts",
                "name",
                PolicyValue(std::string("several")),
                0,
                0,
                "whose kernels share the GPU: of all contexts, or of one at a time, as on cards without MPS",
                false,
                {"several", "one"}}});

}  // namespace

}  // namespace heddle
