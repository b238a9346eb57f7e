#include "models/stats/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <unordered_map>

#include "models/stats/path_ranges.h"

namespace heddle {
namespace {

using Text = fmt::memory_buffer;

constexpr std::size_t kFlushBytes = 1 << 16;
constexpr const char* kCsvHead = "path,value,unit,description\n";

void append(Text& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void write(std::ostream& out, std::string_view text) {
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void flush(Text& text, std::ostream& out) {
  write(out, {text.data(), text.size()});
  text.clear();
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

// Nothing is written for a formula without a value. A sum of 0.0 makes a negative zero positive.
void append_value(Text& out, const Statistic& statistic) {
  if (!statistic.is_formula())
    fmt::format_to(std::back_inserter(out), "{}", statistic.counter->value());
  else if (const std::optional<double> value = statistic.formula->value())
    fmt::format_to(std::back_inserter(out), "{}", *value + 0.0);
}

// Appends a list of texts in JSON.
template <class List, class TextOf>
void append_list(Text& out, const List& list, TextOf text_of) {
  const char* before = "[";
  for (const auto& element : list) {
    append(out, before);
    append_json(out, text_of(element));
    before = ", ";
  }
  append(out, list.empty() ? "[]" : "]");
}

// OperandTexts writes the operands of formulas as ranges of paths, which start at the formula's group.
// Formulas of parts that are alike, such as SMs, have the same operands there, so that each list is made
// once.
class OperandTexts {
 public:
  // Returns the keys of a formula in its entry; nothing for a counter.
  std::string keys_of(const Statistic& statistic) {
    const Formula* formula = statistic.formula;
    if (formula == nullptr) return {};
    return fmt::format(R"(, "numerator": {}, "denominator": {}, "scale": {})",
                       list_of(*formula, formula->numerator()), list_of(*formula, formula->denominator()),
                       formula->scale());
  }

 private:
  const std::string& list_of(const Formula& formula, const std::vector<Formula::Operand>& operands) {
    Statistic below;  // the formula as seen from its group
    below.formula = &formula;
    std::vector<std::string> paths;
    key_.clear();
    for (const Formula::Operand& operand : operands) {
      paths.push_back(below.path_of(operand));
      key_.append(paths.back()).append(operand.times, '\n');
    }
    const auto [place, is_new] = lists_.try_emplace(key_);
    if (is_new) place->second = make_list(paths, operands);
    return place->second;
  }

  // An operand that is added n times is in n ranges.
  static std::string make_list(const std::vector<std::string>& all,
                               const std::vector<Formula::Operand>& operands) {
    std::vector<std::string> texts;
    std::vector<std::string> paths;
    for (std::uint64_t times = 1; times == 1 || !paths.empty(); ++times) {
      paths.clear();
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i].times >= times) paths.push_back(all[i]);
      if (!std::is_sorted(paths.begin(), paths.end(), path_less))
        std::sort(paths.begin(), paths.end(), path_less);
      for (PathRange& range : path_ranges(paths)) texts.push_back(std::move(range.text));
    }
    Text list;
    append_list(list, texts, [](const std::string& text) { return std::string_view(text); });
    return {list.data(), list.size()};
  }

  std::unordered_map<std::string, std::string> lists_;  // by the paths of the operands
  std::string key_;
};

// StatsJson collects the statistics of a walk in entries.
class StatsJson {
 public:
  void add(const Statistic& statistic) {
    const std::string operands = operand_texts_.keys_of(statistic);
    key_.assign(statistic.unit)
        .append(1, '\n')
        .append(statistic.description)
        .append(1, '\n')
        .append(operands);
    const auto [place, is_new] = places_.try_emplace(key_, entries_.size());
    if (is_new)
      entries_.push_back(
          {std::string(statistic.unit), std::string(statistic.description), operands, {}, {}, {}, {}});
    Entry& entry = entries_[place->second];
    value_.clear();
    append_value(value_, statistic);
    const std::string_view text(value_.data(), value_.size());
    if (text.empty()) {
      entry.undefined.push_back(statistic.path);
    } else if (text == "0") {
      entry.zero.push_back(statistic.path);
    } else {
      entry.paths.push_back(statistic.path);
      entry.values.emplace_back(text);
    }
  }

  void write(std::ostream& out) const {
    Text text;
    fmt::format_to(std::back_inserter(text), "{{\"schema\": \"{}\",\n\"statistics\": [", kStatsSchema);
    const char* before = "\n";
    for (const Entry& entry : entries_) {
      append(text, before);
      append_entry(text, entry);
      before = ",\n";
      if (text.size() >= kFlushBytes) flush(text, out);
    }
    append(text, "\n]}\n");
    flush(text, out);
  }

 private:
  struct Entry {
    std::string unit, description, operands;
    std::vector<std::string> paths, values;  // of what is not zero
    std::vector<std::string> zero, undefined;
  };

  static void append_entry(Text& text, const Entry& entry) {
    append(text, R"({"unit": )");
    append_json(text, entry.unit);
    append(text, R"(, "description": )");
    append_json(text, entry.description);
    append(text, entry.operands);
    const char* before = ",\n \"values\": {";
    for (const PathRange& range : path_ranges(entry.paths)) {
      append(text, before);
      append_json(text, range.text);
      append(text, range.paths.size() > 1 ? ": [" : ": ");
      for (std::size_t i = 0; i < range.paths.size(); ++i) {
        if (i != 0) text.push_back(',');
        append(text, entry.values[range.paths[i]]);
      }
      if (range.paths.size() > 1) text.push_back(']');
      before = ",\n            ";
    }
    if (!entry.paths.empty()) text.push_back('}');
    append_paths(text, "zero", entry.zero);
    append_paths(text, "undefined", entry.undefined);
    text.push_back('}');
  }

  static void append_paths(Text& text, const char* key, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    fmt::format_to(std::back_inserter(text), ",\n \"{}\": ", key);
    append_list(text, path_ranges(paths),
                [](const PathRange& range) { return std::string_view(range.text); });
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> places_;  // by unit, description and operands
  OperandTexts operand_texts_;
  std::string key_;  // of the present statistic
  Text value_;
};

bool is_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  std::strtod(copy.c_str(), &end);
  return !copy.empty() && end == copy.c_str() + copy.size();
}

bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

void append_csv(Text& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !looks_like_formula(text))
    return append(out, text);
  out.push_back('"');
  for (const char letter : text) {
    if (letter == '"') out.push_back('"');
    out.push_back(letter);
  }
  out.push_back('"');
}

void append_csv_row(Text& out, std::string_view path, std::string_view value, std::string_view unit,
                    std::string_view description) {
  append_csv(out, path);
  out.push_back(',');
  append(out, value);
  out.push_back(',');
  append_csv(out, unit);
  out.push_back(',');
  append_csv(out, description);
  out.push_back('\n');
}

std::size_t width_of(const std::string& text) {
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

}  // namespace

std::string quoted_csv(const std::string& text) {
  Text quoted;
  append_csv(quoted, text);
  return {quoted.data(), quoted.size()};
}

void write_json(const Group& group, std::ostream& out) {
  StatsJson json;
  group.visit([&](const Statistic& statistic) { json.add(statistic); });
  json.write(out);
}

void write_csv(const Group& group, std::ostream& out) {
  Text text;
  append(text, kCsvHead);
  group.visit([&](const Statistic& statistic) {
    Text value;
    append_value(value, statistic);
    append_csv_row(text, statistic.path, {value.data(), value.size()}, statistic.unit, statistic.description);
    if (text.size() >= kFlushBytes) flush(text, out);
  });
  flush(text, out);
}

void write_csv(std::vector<ReadStatistic> statistics, std::ostream& out) {
  std::sort(statistics.begin(), statistics.end(), [](const ReadStatistic& left, const ReadStatistic& right) {
    return path_less(left.path, right.path);
  });
  Text text;
  append(text, kCsvHead);
  for (const ReadStatistic& statistic : statistics) {
    std::string value;
    if (statistic.value && statistic.formula)
      value = fmt::format("{}", *statistic.value);
    else if (statistic.value)
      value = fmt::format("{}", statistic.count);
    append_csv_row(text, statistic.path, value, statistic.unit, statistic.description);
  }
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
