#include "platforms/cli/verbs/rtl_options.h"

#include <fmt/format.h>

#include "models/core/config/config.h"
#include "models/rtl/rtl_role.h"
#include "models/rtl/rtl_trial.h"
#include "platforms/cli/options.h"
#include "platforms/experiment/rtl_libraries.h"
#include "platforms/load/read_rtl.h"

namespace heddle {

void declare_rtl_options(CommandLine& verb, RtlOptions& options) {
  verb.add_option("block", options.block, "a block by name or YAML file").required();
  verb.add_option("--verilator", options.build.verilator,
                  "the program Verilator (default: $HEDDLE_VERILATOR, else verilator)")
      .type_name("PATH");
  add_trust_flag(verb, options.trust);
  verb.add_flag("--force", options.build.force, "make the library anew if there is one");
}

RtlPeriods equal_periods(const RtlSpec& spec) {
  constexpr std::uint64_t kPeriod = 1000;
  RtlPeriods periods{{find_rtl_role(spec.role)->domain, kPeriod}};
  for (const RtlClock& clock : spec.clocks) periods[clock.domain] = kPeriod;
  return periods;
}

RtlSpec load_rtl_block(const RtlOptions& options, std::vector<std::string>* problems) {
  RtlSpec spec = load_rtl_block(options.block, problems);
  spec.trusted = options.trust;
  return spec;
}

std::string make_rtl_library(const RtlSpec& spec, RtlBuildOptions options) {
  if (!options.force) options.making = note_of_making(spec.name, spec);
  return build_rtl_library(spec, options);
}

std::shared_ptr<const RtlLibrary> load_rtl_library(const RtlSpec& spec, const RtlBuildOptions& options) {
  const std::string file = make_rtl_library(spec, options);
  try {
    try_rtl_library(file);
    return RtlLibrary::load(file);
  } catch (const RtlError& error) {
    throw config::Error({fmt::format("{}: {}", spec.place, error.what())});
  }
}

}  // namespace heddle
