#include "policies/write_drain/i_write_drain.h"

namespace heddle {

HEDDLE_DECISION_TABLE(WriteDrain)

}  // namespace heddle
