#include "policies/submission/i_submission.h"

namespace heddle {

HEDDLE_DECISION_TABLE(Submission)

}  // namespace heddle
