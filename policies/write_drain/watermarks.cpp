#include "policies/write_drain/i_write_drain.h"

namespace heddle {

namespace {

class Watermarks final : public WriteDrain {
 public:
  explicit Watermarks(const PolicyParameters&) {}
  WriteDrainBounds decide(const WriteDrainView& view) override { return {view.high, view.low}; }
};

HEDDLE_POLICY(WriteDrain, Watermarks, "watermarks",
              "writes are served from write_high waiting ones on, down to write_low",
              "Chatterjee et al., USIMM, Tech. Report UUCS-12-002, University of Utah, 2012", {});

}  // namespace

}  // namespace heddle
