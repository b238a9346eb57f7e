#include "models/rtl/rtl_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "models/core/config/config.h"
#include "models/rtl/interfaces/rtl_interface.h"
#include "models/rtl/rtl_role.h"
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

// Returns whether what has been read is enough to make the library, or to load it.
bool has_library(const RtlSpec& spec) {
  std::error_code none;
  const auto exists = [&none](const std::string& file) { return std::filesystem::exists(file, none); };
  if (find_rtl_role(spec.role) == nullptr) return false;
  if (!spec.source.library.empty()) return exists(spec.source.library);
  return !spec.source.top.empty() && !spec.source.files.empty() &&
         std::all_of(spec.source.files.begin(), spec.source.files.end(), exists);
}

// Makes an instance as a run does, in a machine of as many things as the pins have bits for. Throws
// config::Error with what a run would refuse.
void make_instance(RtlSpec spec, const RtlLibrary& library) {
  constexpr std::uint32_t kBurst = 32;  // bytes
  spec.source.library = library.file();
  try {
    RtlBlock block(spec, equal_periods(spec));
    if (block.role().is_interface)
      RtlInterface(block, "check", kBurst, [](const std::string&, const std::string&, const std::string&) {
      }).reset();
    else
      RtlPort(block.spec(), library, block.role(), most_things(spec, library).value_or(RtlMost{}).things,
              "check");
  } catch (const RtlError& error) {
    throw config::Error({error.what()});
  }
}

// What is wrong in the file and what does not suit the library are told together.
int check_block(const RtlOptions& options) {
  std::vector<std::string> problems;
  const RtlSpec spec = load_rtl_block(options, &problems);
  std::shared_ptr<const RtlLibrary> library;
  if (has_library(spec)) try {
      library = load_rtl_library(spec, options.build);
      check_pins(spec, *library);
      if (problems.empty()) make_instance(spec, *library);
    } catch (const config::Error& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  if (!problems.empty()) throw config::Error(problems);
  std::cout << fmt::format("{}: {} as {}, made by {}\n", spec.name, library->top(), spec.role,
                           library->tool());
  if (const auto most = most_things(spec, *library))
    std::cout << fmt::format("at most {} {}: pin {} has no more\n", most->things,
                             find_rtl_role(spec.role)->things, most->pin);
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
