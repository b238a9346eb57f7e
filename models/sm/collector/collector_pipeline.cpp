// This header must be included first. GCC does not inline functions that are defined after the declaration of
// the explicit instantiation, which is in the next header.
#include "models/sm/pipeline/warp_pipeline_functions.h"

#include "models/sm/collector/collector_pipeline.h"

namespace heddle {

template class WarpPipeline<CollectorFrontEnd, CollectorUnits>;

}  // namespace heddle
