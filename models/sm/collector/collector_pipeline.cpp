// The functions stand first. Behind the declaration of the instance the compiler would not inline them.
#include "models/sm/pipeline/warp_pipeline_functions.h"

#include "models/sm/collector/collector_pipeline.h"

namespace heddle {

template class WarpPipeline<CollectorFrontEnd, CollectorUnits>;

}  // namespace heddle
