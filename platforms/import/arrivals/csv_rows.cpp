#include "platforms/import/arrivals/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::imported {

namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvRows::CsvRows(TextInput& input) : RowReader(input) {
  Cells cells;
  if (next_line()) split(cells);
  for (const std::string_view name : cells) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      fail(fmt::format("two columns are named '{}'", name));
    names_.emplace_back(name);
  }
}

bool CsvRows::next(Cells& cells) {
  if (!next_line()) return false;
  split(cells);
  if (cells.size() != names_.size())
    fail(fmt::format("the line has {} cells, the head has {}", cells.size(), names_.size()));
  return true;
}

bool CsvRows::next_line() {
  do
    if (!input_.next_line(line_)) return false;
  while (without_blanks(line_).empty());
  return true;
}

void CsvRows::split(Cells& cells) {
  cells.clear();
  for (std::size_t at = 0;;) {
    const std::size_t start = std::min(line_.find_first_not_of(" \t", at), line_.size());
    std::size_t end = std::min(line_.find(',', at), line_.size());
    if (start < line_.size() && line_[start] == '"') {
      at = start + 1;
      cells.push_back(quoted_cell(at));
      end = std::min(line_.find(',', at), line_.size());
      if (!without_blanks(std::string_view(line_).substr(at, end - at)).empty())
        fail("text behind a closing quote");
    } else {
      cells.push_back(without_blanks(std::string_view(line_).substr(at, end - at)));
    }
    if (end == line_.size()) return;
    at = end + 1;
  }
}

// Takes a cell from behind its opening quote, and leaves `at` behind the closing one. A doubled quote becomes
// one quote within the line.
std::string_view CsvRows::quoted_cell(std::size_t& at) {
  const std::size_t start = at;
  std::size_t end = at;
  for (;; line_[end++] = line_[at++]) {
    if (at == line_.size()) fail("a quote is not closed on its line");
    if (line_[at] != '"') continue;
    if (++at == line_.size() || line_[at] != '"') break;
  }
  return std::string_view(line_).substr(start, end - start);
}

}  // namespace heddle::imported
