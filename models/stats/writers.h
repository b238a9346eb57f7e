#pragma once
// These writers print statistics and results as text: JSON and CSV of a group's walk, and aligned tables for
// the console. Numbers do not depend on the stream's format and locale. The caller looks at the stream's
// state for failures.

#include <iosfwd>
#include <string>
#include <vector>

#include "models/stats/group.h"

namespace heddle {

// Writes one object with one line for each statistic, which has the full path as key. The order is canonical.
//   counter: {"value": 3, "unit": "...", "description": "..."}
//   formula: {"value": 0.75, ..., "numerator": {path: value, ...}, "denominator": {path: value, ...}}
// A real value is the shortest text that reads back as the same double, or null if the formula has no value.
// Bytes that are not UTF-8 are replaced by U+FFFD.
void write_json(const Group& group, std::ostream& out);

// Writes the same walk as CSV with the header path,value,unit,description. Fields are quoted as RFC 4180
// says, and lines end in a line feed. The value of a formula without a value is empty.
void write_csv(const Group& group, std::ostream& out);

// Returns a field of CSV, quoted if RFC 4180 requires it.
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
