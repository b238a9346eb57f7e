#include "policies/page_policy/i_page_policy.h"

namespace heddle {

namespace {

class Closed final : public PagePolicy {
 public:
  explicit Closed(const PolicyParameters&) {}
  bool close(const RowUseView& row) override { return !row.more_waiting; }
};

HEDDLE_POLICY(PagePolicy, Closed, "closed", "a row is closed with the last request that waits for it",
              "Rixner et al., ISCA 2000", {});

}  // namespace

}  // namespace heddle
