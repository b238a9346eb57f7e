#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

HEDDLE_DECISION_TABLE(WarpScheduler)

}  // namespace heddle
