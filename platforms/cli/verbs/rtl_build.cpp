#include "models/rtl/build/rtl_build.h"

#include <iostream>

#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/rtl_options.h"
#include "platforms/load/read_rtl.h"

namespace heddle {

namespace {

int build_block(const RtlOptions& options) {
  std::cout << build_rtl_library(load_rtl_block(options.block), options.build) << "\n";
  return 0;
}

const VerbRegistration kRtlBuild("rtl build", 10, "Make the library of a block and print its path",
                                 declare_rtl_options, build_block);

}  // namespace

}  // namespace heddle
