#include "models/sm/collector/collector_pipeline.h"

#include "models/sm/pipeline/warp_pipeline_functions.h"

namespace heddle {

template class WarpPipeline<CollectorFrontEnd, CollectorUnits>;

}  // namespace heddle
