#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

namespace {

// FR-FCFS of Rixner et al. with protected open rows: a row with waiting requests is not closed, even while
// none of these requests can be served.
class FrFcfs final : public DramScheduler {
 public:
  explicit FrFcfs(const PolicyParameters&) {}
  bool keep_row(const OpenRowView&) override { return true; }
  std::size_t choose(const CommandSlotView& slot) override { return first_ready(slot); }
};

HEDDLE_POLICY(DramScheduler, FrFcfs, "fr-fcfs", "open rows first, then the oldest request",
              "Rixner et al., ISCA 2000", {});

}  // namespace

}  // namespace heddle
