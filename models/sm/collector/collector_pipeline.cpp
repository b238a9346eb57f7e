#include "models/sm/collector/collector_pipeline.h"

namespace heddle {

template class WarpPipeline<CollectorFrontEnd, CollectorUnits>;

}  // namespace heddle
