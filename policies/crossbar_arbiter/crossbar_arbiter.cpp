#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

HEDDLE_DECISION_TABLE(CrossbarArbiter)

}  // namespace heddle
