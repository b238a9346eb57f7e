#include "policies/preemption/i_preemption.h"

namespace heddle {

HEDDLE_DECISION(Preemption)

}  // namespace heddle
