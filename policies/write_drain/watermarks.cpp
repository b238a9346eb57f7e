#include "policies/write_drain/i_write_drain.h"

namespace heddle {

namespace {

// Chatterjee et al., USIMM, UUCS-12-002, the scheduler FCFS: "When the write queue size exceeds a high water
// mark, writes are drained similarly until a low water mark is reached." Its scheduler has a write queue of
// its own of 64 or 96 requests, drains from 41 writes on, and stops at 20. The numbers here are the
// platform's, and `write_high` itself starts a drain.
class Watermarks final : public WriteDrain {
 public:
  explicit Watermarks(const PolicyParameters&) {}
  WriteDrainBounds decide(const WriteDrainView& view) override { return {view.high, view.low}; }
};

HEDDLE_POLICY(WriteDrain, Watermarks, "watermarks",
              "writes are served from write_high waiting ones on, down to write_low",
              "Chatterjee et al., USIMM, Tech. Report UUCS-12-002, University of Utah, 2012 (scheduler FCFS)",
              {});

}  // namespace

}  // namespace heddle
