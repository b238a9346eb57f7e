#pragma once
// The CollectorPipeline is the pipeline of SMs from Fermi to Pascal.

#include "models/sm/collector/collector_front_end.h"
#include "models/sm/collector/collector_units.h"
#include "models/sm/pipeline/warp_pipeline.h"

namespace heddle {

using CollectorPipeline = WarpPipeline<CollectorFrontEnd, CollectorUnits>;
extern template class WarpPipeline<CollectorFrontEnd, CollectorUnits>;

}  // namespace heddle
