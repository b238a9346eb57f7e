#include "platforms/correlate/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/core/config/config.h"

namespace heddle::correlate {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

}  // namespace

CsvReader::CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = kByteOrderMark.size();
}

void CsvReader::fail(const std::string& message) const {
  throw config::Error({fmt::format("{}:{}: {}", file_, line_, message)});
}

bool CsvReader::next(std::vector<std::string>& cells) {
  for (;;) {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    if (!trimmed(text_.substr(at_, end - at_)).empty()) break;
    at_ = end + 1;
    ++next_line_;
  }
  line_ = next_line_;
  cells.clear();
  for (;;) {
    cells.push_back(cell());
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      continue;
    }
    ++at_;  // the end of the line, or of the text
    ++next_line_;
    return true;
  }
}

std::string CsvReader::cell() {
  const std::size_t start = std::min(text_.find_first_not_of(" \t", at_), text_.size());
  if (start < text_.size() && text_[start] == '"') {
    at_ = start + 1;
    return quoted_cell();
  }
  const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
  const std::string_view found = trimmed(text_.substr(at_, end - at_));
  at_ = end;
  return std::string(found);
}

std::string CsvReader::quoted_cell() {
  std::string found;
  for (;;) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) fail("a quote is not closed");
    found.append(text_.substr(at_, quote - at_));
    at_ = quote + 1;
    if (at_ >= text_.size() || text_[at_] != '"') break;
    found += '"';
    ++at_;
  }
  next_line_ += static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
  const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
  if (!trimmed(text_.substr(at_, end - at_)).empty()) fail("text behind a closing quote");
  at_ = end;
  return found;
}

bool read_decimal(std::string_view text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
}

}  // namespace heddle::correlate
