#pragma once
// Statistics and results as text: JSON and CSV of a group's walk, and aligned tables for the console.
// Numbers are independent of the stream's format and locale. A stream's failure is left to the caller, who
// looks at its state afterwards.

#include <iosfwd>
#include <string>
#include <vector>

#include "models/stats/group.h"

namespace heddle {

// One object, a statistic a line under its full path in canonical order:
//   counter: {"value": 3, "unit": "...", "description": "..."}
//   formula: {"value": 0.75, ..., "numerator": {path: value, ...}, "denominator": {path: value, ...}}
// A real value is the shortest text that reads back as the same double; null where the formula has none.
// Text that is not UTF-8 has its bad bytes replaced by U+FFFD.
void write_json(const Group& group, std::ostream& out);

// The same walk under the header path,value,unit,description; fields quoted after RFC 4180, lines ended by a
// line feed. A formula without a value leaves the field empty.
void write_csv(const Group& group, std::ostream& out);

// A field of CSV, quoted after RFC 4180 where it must be.
std::string quoted_csv(const std::string& text);

// Rows under titles, each column as wide as its widest cell. Widths count UTF-8 code points.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);   // none: std::logic_error
  void add_row(std::vector<std::string> cells);  // one for each column, or std::logic_error
  void print(std::ostream& out) const;           // titles, a rule, rows; two spaces between columns
  void print_markdown(std::ostream& out) const;  // as a table of GitHub's Markdown

 private:
  std::vector<std::size_t> widths() const;
  void print_row(std::ostream& out, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle
