#include "policies/page_policy/i_page_policy.h"

namespace heddle {

HEDDLE_DECISION_TABLE(PagePolicy)

}  // namespace heddle
