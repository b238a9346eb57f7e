
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_rtl(CommandLine& verb) {
  verb.require_subcommand(1);
  verb.fallthrough();
}

const VerbRegistration kRtl("rtl", 45, "Make, check and measure a block in RTL", declare_rtl);

}  // namespace

}  // namespace heddle
