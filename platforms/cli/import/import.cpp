
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_import(CommandLine& verb) {
  verb.require_subcommand(1);
  verb.fallthrough();
}

const VerbRegistration kImport("import", 35,
                               "Make applications, platforms or arrivals of what was measured elsewhere",
                               declare_import);

}  // namespace

}  // namespace heddle
