#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

HEDDLE_DECISION_TABLE(DramScheduler)

}  // namespace heddle
