#include "policies/refresh_policy/i_refresh_policy.h"

namespace heddle {

HEDDLE_DECISION_TABLE(RefreshPolicy)

}  // namespace heddle
