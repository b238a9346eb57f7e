#pragma once
// A RowReader hands out the rows of a trace one by one: lines of CSV, or values of JSON.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/import/arrivals/text_input.h"

namespace heddle::imported {

using Cells = std::vector<std::string_view>;

class RowReader {
 public:
  explicit RowReader(TextInput& input) : input_(input) {}
  virtual ~RowReader() = default;

  // Returns the names of the columns. A list of JSON numbers or texts has one column without a name.
  const std::vector<std::string>& names() const { return names_; }

  // Reads the next row, with a cell for each name; they hold until the next call. Returns false at the end.
  // Throws config::Error for a row that is damaged.
  virtual bool next(Cells& cells) = 0;

  // Throws config::Error at the row that was read last.
  [[noreturn]] void fail(const std::string& problem) const;

 protected:
  virtual std::string place() const = 0;  // FILE:LINE of that row

  TextInput& input_;
  std::vector<std::string> names_;
};

// Reads the head of the text and returns its reader: JSON if the first character is '[' or '{', else CSV.
// Throws config::Error for an empty file. `input` must outlive the reader.
std::unique_ptr<RowReader> open_rows(TextInput& input);

}  // namespace heddle::imported
