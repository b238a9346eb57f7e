#include "policies/refresh_policy/i_refresh_policy.h"

namespace heddle {

namespace {

// AMD, Versal Network on Chip and Integrated Memory Controller (PG313), "All Bank Refresh with Deficit Mode"
// of its HBM controller: it "can skip refreshes up to eight times if there are transactions in the queue" and
// replaces them when the queue is empty. JEDEC's standards of DDR3 and DDR4 allow eight postponed refreshes.
// That controller may also issue refreshes before they are due, which this policy does not.
class DeferUntilEmpty final : public RefreshPolicy {
 public:
  explicit DeferUntilEmpty(const PolicyParameters&) {}
  RefreshTimes decide(const RefreshView& refresh) override { return {refresh.due, refresh.latest}; }
};

HEDDLE_POLICY(RefreshPolicy, DeferUntilEmpty, "defer-until-empty",
              "a refresh that is due waits until no request does, as long as it may be postponed",
              "AMD, PG313: deficit mode of the HBM controller", {});

}  // namespace

}  // namespace heddle
