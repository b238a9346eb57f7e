#include "platforms/correlate/rtl_format.h"

#include <algorithm>

#include "platforms/correlate/profiler_table.h"

namespace heddle::correlate {

const std::vector<std::string>& rtl_formats() {
  static const std::vector<std::string> formats{"vcd", "fst", "csv", "autocounter", "ncu", "nvprof"};
  return formats;
}

std::string rtl_format(std::string_view start) {
  // An FST file starts with a header block of 329 bytes, or with a block that is compressed as a whole.
  constexpr std::string_view kHeaderBlock("\0\0\0\0\0\0\0\x01\x49", 9);
  constexpr char kCompressed = '\xFE';
  if (start.substr(0, kHeaderBlock.size()) == kHeaderBlock) return "fst";
  if (!start.empty() && start.front() == kCompressed) return "fst";
  const std::size_t first = std::min(start.find_first_not_of(" \t\r\n"), start.size());
  if (first < start.size() && start[first] == '$') return "vcd";
  if (start.substr(first, 8) == "version,") return "autocounter";
  return profiler_format(start).value_or("csv");
}

}  // namespace heddle::correlate
