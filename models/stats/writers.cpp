#include "models/stats/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace heddle {
namespace {

using Text = fmt::memory_buffer;

constexpr std::size_t kFlushBytes = 1 << 16;

void append(Text& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void append_json(Text& out, std::string_view text) {
  const auto plain = [](char letter) {
    return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
  };
  if (!std::all_of(text.begin(), text.end(), plain)) {
    append(out, nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  out.push_back('"');
  append(out, text);
  out.push_back('"');
}

// `none` is written for a formula without a value.
void append_value(Text& out, const Statistic& statistic, std::string_view none) {
  if (!statistic.is_formula())
    fmt::format_to(std::back_inserter(out), "{}", statistic.counter->value());
  else if (const std::optional<double> value = statistic.formula->value())
    fmt::format_to(std::back_inserter(out), "{}", *value);
  else
    append(out, none);
}

void append_operands(Text& out, const Statistic& statistic, const std::vector<Formula::Operand>& operands) {
  const char* before = "{";
  for (const Formula::Operand& operand : operands) {
    append(out, before);
    append_json(out, statistic.path_of(operand));
    fmt::format_to(std::back_inserter(out), ":{}", operand.value());
    before = ",";
  }
  append(out, "}");
}

void append_json(Text& out, const Statistic& statistic) {
  append_json(out, statistic.path);
  append(out, R"(: {"value": )");
  append_value(out, statistic, "null");
  append(out, R"(, "unit": )");
  append_json(out, statistic.unit);
  append(out, R"(, "description": )");
  append_json(out, statistic.description);
  if (statistic.is_formula()) {
    append(out, R"(, "numerator": )");
    append_operands(out, statistic, statistic.formula->numerator());
    append(out, R"(, "denominator": )");
    append_operands(out, statistic, statistic.formula->denominator());
  }
  out.push_back('}');
}

void append_csv(Text& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return append(out, text);
  out.push_back('"');
  for (const char letter : text) {
    if (letter == '"') out.push_back('"');
    out.push_back(letter);
  }
  out.push_back('"');
}

std::size_t width_of(const std::string& text) {
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

void write(std::ostream& out, std::string_view text) {
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void flush(Text& text, std::ostream& out) {
  write(out, {text.data(), text.size()});
  text.clear();
}

}  // namespace

std::string quoted_csv(const std::string& text) {
  Text quoted;
  append_csv(quoted, text);
  return {quoted.data(), quoted.size()};
}

void write_json(const Group& group, std::ostream& out) {
  Text text;
  const char* before = "{\n  ";
  group.visit([&](const Statistic& statistic) {
    append(text, before);
    append_json(text, statistic);
    before = ",\n  ";
    if (text.size() >= kFlushBytes) flush(text, out);
  });
  append(text, *before == '{' ? "{\n}\n" : "\n}\n");
  flush(text, out);
}

void write_csv(const Group& group, std::ostream& out) {
  Text text;
  append(text, "path,value,unit,description\n");
  group.visit([&](const Statistic& statistic) {
    append_csv(text, statistic.path);
    text.push_back(',');
    append_value(text, statistic, "");
    text.push_back(',');
    append_csv(text, statistic.unit);
    text.push_back(',');
    append_csv(text, statistic.description);
    text.push_back('\n');
    if (text.size() >= kFlushBytes) flush(text, out);
  });
  flush(text, out);
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (columns_.empty()) throw std::logic_error("a table has at least one column");
}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error(
        fmt::format("a row of {} cells in a table of {} columns", cells.size(), columns_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

void Table::print_markdown(std::ostream& out) const {
  const auto row = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) {
      out << "| ";
      for (const char c : cell) out << (c == '|' ? "\\|" : std::string(1, c));
      out << ' ';
    }
    out << "|\n";
  };
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    rules.emplace_back(column.align == Align::kRight ? "---:" : "---");
  }
  row(titles);
  row(rules);
  for (const std::vector<std::string>& cells : rows_) row(cells);
}

void Table::print(std::ostream& out) const {
  const std::vector<std::size_t> widths = this->widths();
  std::vector<std::string> titles, rule;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    rule.emplace_back(widths[i], '-');
  }
  print_row(out, titles, widths);
  print_row(out, rule, widths);
  for (const auto& row : rows_) print_row(out, row, widths);
}

void Table::print_row(std::ostream& out, const std::vector<std::string>& cells,
                      const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - width_of(cells[i]), ' ');
    if (i != 0) line += "  ";
    line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  write(out, line + '\n');
}

}  // namespace heddle
