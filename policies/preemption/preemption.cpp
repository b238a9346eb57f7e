#include "policies/preemption/i_preemption.h"

namespace heddle {

HEDDLE_DECISION_TABLE(Preemption)

}  // namespace heddle
