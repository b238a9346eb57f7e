#include "policies/instances/i_instances.h"

namespace heddle {

HEDDLE_DECISION_TABLE(Instances)

}  // namespace heddle
