#include "platforms/cli/verbs/rtl_options.h"

#include <fmt/format.h>

#include "models/core/config/config.h"
#include "models/rtl/rtl_trial.h"

namespace heddle {

void declare_rtl_options(CLI::App& verb, RtlOptions& options) {
  verb.add_option("block", options.block, "a block by name or YAML file")->required();
  verb.add_option("--verilator", options.build.verilator,
                  "the program Verilator (default: $HEDDLE_VERILATOR, else verilator)")
      ->type_name("PATH");
  verb.add_flag("--force", options.build.force, "make the library anew if there is one");
}

std::shared_ptr<const RtlLibrary> load_rtl_library(const RtlSpec& spec, const RtlBuildOptions& options) {
  const std::string file = build_rtl_library(spec, options);
  try {
    try_rtl_library(file);
    return RtlLibrary::load(file);
  } catch (const RtlError& error) {
    throw config::Error({fmt::format("{}: {}", spec.place, error.what())});
  }
}

}  // namespace heddle
