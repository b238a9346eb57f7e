#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

HEDDLE_DECISION_TABLE(DmaArbiter)

}  // namespace heddle
