// The next header must stand first. It defines the functions of WarpPipeline, and the header behind it
// declares their explicit instantiation. GCC does not inline functions that are defined behind such a
// declaration.
#include "models/sm/pipeline/warp_pipeline_functions.h"

#include "models/sm/collector/collector_pipeline.h"

namespace heddle {

template class WarpPipeline<CollectorFrontEnd, CollectorUnits>;

}  // namespace heddle
