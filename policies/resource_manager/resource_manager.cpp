#include "policies/resource_manager/i_resource_manager.h"

namespace heddle {

HEDDLE_DECISION_TABLE(ResourceManager)

}  // namespace heddle
