#pragma once
// A table of launches as CSV: stimuli/APPLICATIONS.md, "Applications of a recording", has its columns.

#include <cstdint>
#include <optional>
#include <string>

#include "stimuli/recorded/recorded_application.h"

namespace heddle::imported {

struct TableOptions {
  std::optional<std::uint64_t> context;  // whose launches; needed where the table has several
  std::uint64_t from_ps = 0;             // since the first start
  std::uint64_t to_ps = ~std::uint64_t{0};
};

// Reads a table. Rows need not be in the order of their starts. Throws config::Error with FILE:LINE for a row
// or a column that is wrong, and where the table has no launch or several contexts and none is chosen.
RecordedApplication read_kernels_table(const std::string& text, const std::string& file,
                                       const TableOptions& options);

}  // namespace heddle::imported
