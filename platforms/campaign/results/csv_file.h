#pragma once
// A reader of CSV files as RFC 4180 describes them, with a line of column names. It keeps one row in memory.

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace heddle {

class CsvFile {
 public:
  // Throws config::Error, as next() and column() do, if the file cannot be read or is damaged.
  explicit CsvFile(std::string file);

  const std::vector<std::string>& head() const { return head_; }
  // Returns the place of a column.
  std::size_t column(const std::string& name) const;

  // Reads the next row, which has a cell for each column, and returns whether there is one.
  bool next();
  const std::vector<std::string>& row() const { return row_; }

 private:
  // Reads a record into `cells` and returns its number of cells. `cells` grows but never shrinks.
  std::size_t read(std::vector<std::string>& cells);

  std::string file_;
  std::ifstream in_;
  std::vector<std::string> head_;
  std::vector<std::string> row_;
};

}  // namespace heddle
