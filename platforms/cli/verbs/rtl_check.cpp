#include "models/rtl/rtl_check.h"

#include <fmt/format.h>

#include <iostream>

#include "models/stats/writers.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/rtl_options.h"
#include "platforms/load/read_rtl.h"

namespace heddle {

namespace {

const char* name_of(heddle_rtl_direction direction) {
  switch (direction) {
    case HEDDLE_RTL_INPUT:
      return "input";
    case HEDDLE_RTL_OUTPUT:
      return "output";
    default:
      return "inside";
  }
}

int check_block(const RtlOptions& options) {
  const RtlSpec spec = load_rtl_block(options.block);
  const auto library = load_rtl_library(spec, options.build);
  check_pins(spec, *library);
  std::cout << fmt::format("{}: {} as {}, made by {}\n", spec.name, library->top(), spec.role,
                           library->tool());
  Table table({{"signal"}, {"direction"}, {"bits", Table::Align::kRight}, {"use"}});
  for (const RtlUse& use : signal_uses(spec, *library))
    table.add_row({use.signal, name_of(use.direction), fmt::format("{}", use.bits),
                   use.use.empty() ? "not connected" : use.use});
  table.print(std::cout);
  return 0;
}

const VerbRegistration kRtlCheck("rtl check", 20, "Check a block's pins and counters and list them",
                                 declare_rtl_options, check_block);

}  // namespace

}  // namespace heddle
