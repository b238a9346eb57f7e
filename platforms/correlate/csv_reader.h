#pragma once
// A CsvReader splits a text of comma-separated values (RFC 4180) into rows and cells. Blank lines are
// skipped.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::correlate {

class CsvReader {
 public:
  // Both must outlive the reader.
  CsvReader(std::string_view text, const std::string& file);

  // Reads the next row into `cells`, without the blanks around each cell. Returns false at the end of the
  // text. Throws config::Error if a quote is not closed.
  bool next(std::vector<std::string>& cells);

  std::size_t line() const { return line_; }  // of the last row, from 1

  // Throws config::Error at the line of the last row.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string cell();
  std::string quoted_cell();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

// Returns the number of a decimal such as 12, -0.5 or 1e6, and nothing for another text.
bool read_decimal(std::string_view text, double& number);

}  // namespace heddle::correlate
