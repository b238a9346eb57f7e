#pragma once
// These writers print statistics and results as text: JSON and CSV of a group's walk, and aligned tables for
// the console. Numbers do not depend on the stream's format and locale. The caller looks at the stream's
// state for failures.

#include <iosfwd>
#include <string>
#include <vector>

#include "models/stats/group.h"
#include "models/stats/stats_reader.h"

namespace heddle {

// Writes the walk as JSON of the schema heddle-stats-1, which read_stats() reads. Statistics with the same
// unit, description and operands are one entry, and equal blocks are one range of paths
// (models/stats/path_ranges.h):
//   {"unit": "access", "description": "...",
//    "values": {"gpu.sm[0-1].l1_misses": [3,7], "gpu.l2_0.misses": 5},
//    "zero": ["gpu.sm[2-14].l1_misses"]}
// An entry of formulas also lists the operands, as paths that start at the formula's group, and the scale.
// Its key "undefined" lists the formulas that have no value. A real number is written as the shortest text
// that reads back as the same double. Bytes of a text that are not UTF-8 are replaced by U+FFFD.
void write_json(const Group& group, std::ostream& out);

// Writes the walk as CSV with the header path,value,unit,description and one line for each statistic in
// canonical order. Fields are quoted as RFC 4180 says, and each line ends in a line feed. The value field of
// a formula that has no value is empty.
void write_csv(const Group& group, std::ostream& out);
// Writes the same bytes from what read_stats() has read.
void write_csv(std::vector<ReadStatistic> statistics, std::ostream& out);

// Returns a field of CSV, quoted if RFC 4180 requires it or if a spreadsheet took the text for a formula.
std::string quoted_csv(const std::string& text);

// A Table prints rows under titles. Each column is as wide as its widest cell, counted in UTF-8 code points.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);  // throws std::logic_error without columns
  // Throws std::logic_error unless there is one cell for each column.
  void add_row(std::vector<std::string> cells);
  void print(std::ostream& out) const;  // prints titles, a rule and rows, with two spaces between columns
  void print_markdown(std::ostream& out) const;  // prints a table of GitHub's Markdown

 private:
  std::vector<std::size_t> widths() const;
  void print_row(std::ostream& out, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle
