#pragma once
// Rows of comma-separated values (RFC 4180), a line each. The first line names the columns. Lines may end in
// CR LF, blank lines are skipped, and blanks around a cell are left out.

#include "platforms/import/arrivals/row_reader.h"

namespace heddle::imported {

class CsvRows final : public RowReader {
 public:
  // Throws config::Error for a head with two columns of one name.
  explicit CsvRows(TextInput& input);

  bool next(Cells& cells) override;

 private:
  std::string place() const override { return input_.place(); }
  bool next_line();
  void split(Cells& cells);
  std::string_view quoted_cell(std::size_t& at);

  std::string line_;
};

}  // namespace heddle::imported
