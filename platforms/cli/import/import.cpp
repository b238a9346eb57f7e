
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_import(CommandLine& verb) {
  verb.require_subcommand(1);
  verb.fallthrough();
}

const VerbRegistration kImport("import", 35,
                               "Make an application or a platform of what was measured on a GPU",
                               declare_import);

}  // namespace

}  // namespace heddle
