
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

void declare_batch(CommandLine& verb) {
  verb.require_subcommand(1);
  verb.fallthrough();
}

const VerbRegistration kBatch("batch", 50, "Run a campaign: one experiment over the product of its axes",
                              declare_batch);

}  // namespace

}  // namespace heddle
