#include "models/sm/subcore/subcore_pipeline.h"

namespace heddle {

template class WarpPipeline<SubcoreFrontEnd, SubcoreUnits>;

}  // namespace heddle
