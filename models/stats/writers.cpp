#include "models/stats/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

namespace heddle {
namespace {

std::string quoted_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// `none` stands for a formula without a value.
std::string value_text(const Statistic& statistic, const char* none) {
  if (!statistic.is_formula()) return fmt::format("{}", statistic.counter->value());
  return statistic.ratio ? fmt::format("{}", *statistic.ratio) : none;
}

// An operand named twice counts twice, and is one key with what it adds up to.
std::string operands_json(const std::vector<Statistic::Operand>& operands) {
  nlohmann::ordered_json object;
  for (const Statistic::Operand& operand : operands) {
    auto& value = object[operand.path];
    value = (value.is_null() ? 0 : value.get<std::uint64_t>()) + operand.value;
  }
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string statistic_json(const Statistic& statistic) {
  std::string text = fmt::format(R"({}: {{"value": {}, "unit": {}, "description": {})",
                                 quoted_json(statistic.path), value_text(statistic, "null"),
                                 quoted_json(statistic.unit), quoted_json(statistic.description));
  if (statistic.is_formula()) {
    text += fmt::format(R"(, "numerator": {}, "denominator": {})", operands_json(statistic.numerator),
                        operands_json(statistic.denominator));
  }
  return text + '}';
}

std::size_t width_of(const std::string& text) {
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

void write(std::ostream& out, const std::string& text) {
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

std::string quoted_csv(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

void write_json(const Group& group, std::ostream& out) {
  const char* before = "\n  ";
  write(out, "{");
  group.visit([&](const Statistic& statistic) {
    write(out, before + statistic_json(statistic));
    before = ",\n  ";
  });
  write(out, "\n}\n");
}

void write_csv(const Group& group, std::ostream& out) {
  write(out, "path,value,unit,description\n");
  group.visit([&](const Statistic& statistic) {
    write(out, fmt::format("{},{},{},{}\n", quoted_csv(statistic.path), value_text(statistic, ""),
                           quoted_csv(statistic.unit), quoted_csv(statistic.description)));
  });
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
