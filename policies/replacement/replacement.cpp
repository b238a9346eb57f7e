#include "policies/replacement/i_replacement.h"

namespace heddle {

HEDDLE_DECISION_TABLE(Replacement)

}  // namespace heddle
