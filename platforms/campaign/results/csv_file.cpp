#include "platforms/campaign/results/csv_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/input_file.h"
#include "platforms/campaign/store/run_files.h"

namespace heddle {

namespace {

constexpr int kEndOfFile = std::char_traits<char>::eof();

}  // namespace

CsvFile::CsvFile(std::string file) : file_(std::move(file)), in_(file_, std::ios::binary) {
  config::check_file(file_);
  if (read(head_) == 0) fail_damaged(file_, "it is empty");
  row_.resize(head_.size());
}

std::size_t CsvFile::column(const std::string& name) const {
  const auto found = std::find(head_.begin(), head_.end(), name);
  if (found == head_.end()) fail_damaged(file_, fmt::format("it has no column '{}'", name));
  return static_cast<std::size_t>(found - head_.begin());
}

bool CsvFile::next() {
  const std::size_t cells = read(row_);
  if (cells == 0) return false;
  if (cells != head_.size())
    fail_damaged(file_, fmt::format("a row has {} cells in place of {}", cells, head_.size()));
  return true;
}

std::size_t CsvFile::read(std::vector<std::string>& cells) {
  std::streambuf& in = *in_.rdbuf();
  if (in.sgetc() == kEndOfFile) return 0;
  std::size_t count = 0;
  const auto add_cell = [&] {
    if (count == cells.size()) cells.emplace_back();
    cells[count++].clear();
  };
  add_cell();
  bool is_quoted = false;
  for (int c = in.sbumpc(); is_quoted || c != '\n'; c = in.sbumpc()) {
    if (c == kEndOfFile) fail_damaged(file_, "it ends within a line");
    std::string& cell = cells[count - 1];
    const bool is_quote = c == '"';
    if (is_quoted && is_quote && in.sgetc() == '"')
      cell += static_cast<char>(in.sbumpc());
    else if (is_quote)
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      add_cell();
    else
      cell += static_cast<char>(c);
  }
  return count;
}

}  // namespace heddle
