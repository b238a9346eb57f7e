// The functions stand first. Behind the declaration of the instance the compiler would not inline them.
#include "models/sm/pipeline/warp_pipeline_functions.h"

#include "models/sm/subcore/subcore_pipeline.h"

namespace heddle {

template class WarpPipeline<SubcoreFrontEnd, SubcoreUnits>;

}  // namespace heddle
