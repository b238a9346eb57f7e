#pragma once
// The counters of a GPU's profiler, as ncu and nvprof write them with --csv: a row for each kernel and
// metric. ncu's page raw has a row for each launch, a column for each metric, and the units below the head.
//
// A counter is named METRIC@KERNEL, where KERNEL is the name up to its first parenthesis. METRIC alone adds
// the launches of all kernels. Values that are no sums are not added: METRIC is then only known where one row
// has it, and METRIC@KERNEL where one launch of the kernel has it. Sums are the metrics of ncu that end in
// .sum, and the events of nvprof. Values with a prefix in their unit (Kbyte, usecond) are converted to the
// unit.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::correlate {

struct ProfiledCounter {
  std::string name;
  double value = 0;
};

// Returns the format of a text, "ncu" or "nvprof", or nothing if it is of neither.
std::optional<std::string> profiler_format(std::string_view text);

// Reads the counters of a file, in the order in which they first stand there. `format` is that of
// profiler_format(). Throws config::Error with file and line.
std::vector<ProfiledCounter> read_profile(const std::string& text, const std::string& file,
                                          const std::string& format);

}  // namespace heddle::correlate
