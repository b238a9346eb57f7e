#include "models/sm/subcore/subcore_pipeline.h"

#include "models/sm/pipeline/warp_pipeline_functions.h"

namespace heddle {

template class WarpPipeline<SubcoreFrontEnd, SubcoreUnits>;

}  // namespace heddle
