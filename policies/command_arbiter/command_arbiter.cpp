#include "policies/command_arbiter/i_command_arbiter.h"

namespace heddle {

HEDDLE_DECISION_TABLE(CommandArbiter)

}  // namespace heddle
