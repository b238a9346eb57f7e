#include "platforms/rtl/rtl_build.h"

#include <filesystem>

#include "models/core/config/config.h"
#include "platforms/rtl/library_cache.h"
#include "platforms/rtl/library_maker.h"
#include "platforms/rtl/rtl_tools.h"

namespace heddle {

std::string build_rtl_library(const RtlSpec& spec, const RtlBuildOptions& options) {
  if (!spec.source.library.empty()) return spec.source.library;
  if (!spec.trusted && !spec.source.commands.empty()) throw config::Error(spec.source.commands);
  const RtlTools tools = find_rtl_tools(options.verilator);
  const LibraryCache cache(spec.name);
  const std::string recipe = recipe_of(spec, tools);
  if (!options.force)
    if (const auto library = cache.find(recipe)) return *library;

  if (options.making) options.making();
  LibraryMaker maker(spec, tools, cache);
  const RtlInputs inputs = maker.verilate();
  std::string library = cache.library_of(recipe, inputs);
  std::error_code none;
  if (options.force || !std::filesystem::exists(library, none)) {
    maker.compile();
    maker.check_counters();
    cache.publish(maker.log(), library.substr(0, library.size() - 3) + ".log");
    cache.publish(maker.library(), library);
  }
  cache.keep_inputs(recipe, inputs);
  return library;
}

}  // namespace heddle
