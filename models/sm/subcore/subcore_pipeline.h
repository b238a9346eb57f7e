#pragma once
// The SubcorePipeline is the pipeline of SMs since Volta.

#include "models/sm/pipeline/warp_pipeline.h"
#include "models/sm/subcore/subcore_front_end.h"
#include "models/sm/subcore/subcore_units.h"

namespace heddle {

using SubcorePipeline = WarpPipeline<SubcoreFrontEnd, SubcoreUnits>;
extern template class WarpPipeline<SubcoreFrontEnd, SubcoreUnits>;

}  // namespace heddle
