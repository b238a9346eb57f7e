#include "policies/refresh_policy/i_refresh_policy.h"

namespace heddle {

namespace {

class DeferUntilEmpty final : public RefreshPolicy {
 public:
  explicit DeferUntilEmpty(const PolicyParameters&) {}
  RefreshTimes decide(const RefreshView& refresh) override { return {refresh.due, refresh.latest}; }
};

HEDDLE_POLICY(RefreshPolicy, DeferUntilEmpty, "defer-until-empty",
              "a refresh that is due waits until no request does, as long as it may be postponed",
              "Stuecheli et al., Elastic Refresh, MICRO 2010 (defer until empty)", {});

}  // namespace

}  // namespace heddle
