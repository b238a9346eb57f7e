#include "platforms/rtl/rtl_build.h"

#include <iostream>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/rtl_options.h"
#include "platforms/load/read_rtl.h"

namespace heddle {

namespace {

int build_block(const RtlOptions& options) {
  const RtlSpec spec = load_rtl_block(options);
  if (spec.source.library.empty() && is_cache_off())
    throw config::Error({"$HEDDLE_CACHE is none, so that a library has no place where it stays"});
  std::cout << make_rtl_library(spec, options.build) << "\n";
  return 0;
}

const VerbRegistration kRtlBuild("rtl build", 10, "Make the library of a block and print its path",
                                 declare_rtl_options, build_block);

}  // namespace

}  // namespace heddle
