#include "platforms/import/harvest_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/core/config/config.h"
#include "platforms/correlate/csv_reader.h"
#include "platforms/import/table_cells.h"

namespace heddle::imported {

namespace {

using correlate::CsvReader;

constexpr const char* kFormat = "heddle-harvest";
constexpr const char* kVersion = "1";
const std::vector<std::string> kHead{"what", "parameters", "value", "unit", "repetitions", "least", "most"};

// The parameters that a row of a kind has. A name that ends in '?' may be absent; "..." stands for others.
struct RowKind {
  const char* what;
  const char* unit;
  std::vector<std::string> parameters;
};

const std::vector<RowKind>& row_kinds() {
  static const std::vector<RowKind> kinds{
      {"clock", "MHz", {"domain"}},
      {"launch", "us", {"part"}},
      {"dispatch", "us", {"blocks", "threads"}},
      {"latency", "ns", {"memory", "footprint?"}},
      {"l2_spread", "cycles", {"percentile"}},
      {"bandwidth", "GB/s", {"memory", "sms", "each"}},
      {"occupancy", "GB/s", {"memory", "warps", "each"}},
      {"atomic", "ns", {"form", "addresses", "blocks"}},
      {"instruction", "cycles", {"operation", "measure", "warps"}},
      {"throughput", "threads/cycle", {"operation", "warps"}},
      {"tensor", "flop/cycle", {"operation", "warps"}},
      {"kernel", "us", {"name", "..."}},
      {"program", "us", {"name", "size", "block_x", "launches"}},
      {"alone", "us", {"name", "..."}},
      {"pair", "us", {"first", "second", "way", "part"}},
      {"background", "us", {"blocks", "threads"}},
      {"start", "us", {"way", "percentile"}},
      {"time_slice", "us", {"part"}},
  };
  return kinds;
}

// Parameters with a value of a fixed list, and those with a number.
const std::map<std::string, std::vector<std::string>> kWords{
    {"clock.domain", {"core"}},
    {"launch.part", {"call", "queued", "round_trip"}},
    {"latency.memory", {"shared", "global", "dram"}},
    {"bandwidth.memory", {"dram", "l2", "copy"}},
    {"occupancy.memory", {"dram"}},
    {"atomic.form", {"red", "atom", "plain"}},
    {"atomic.addresses", {"one", "warp", "thread"}},
    {"instruction.measure", {"latency", "round"}},
    {"pair.part", {"first", "second"}},
    {"time_slice.part", {"run", "gap"}}};
const std::set<std::string> kNumbers{
    "dispatch.blocks",    "dispatch.threads", "latency.footprint",   "bandwidth.sms",     "bandwidth.each",
    "occupancy.warps",    "occupancy.each",   "atomic.blocks",       "instruction.warps", "throughput.warps",
    "tensor.warps",       "program.size",     "program.block_x",     "program.launches",  "background.blocks",
    "background.threads", "start.percentile", "l2_spread.percentile"};

struct CardKey {
  const char* name;
  double HarvestCard::*number;
  std::string HarvestCard::*text;
  bool required;
};

const std::vector<CardKey>& card_keys() {
  static const std::vector<CardKey> keys{
      {"card", nullptr, &HarvestCard::name, true},
      {"compute_capability", &HarvestCard::compute_capability, nullptr, true},
      {"sms", &HarvestCard::sms, nullptr, true},
      {"core_clock_mhz", &HarvestCard::core_clock_mhz, nullptr, false},
      {"memory_clock_mhz", &HarvestCard::memory_clock_mhz, nullptr, false},
      {"memory_bus_bits", &HarvestCard::memory_bus_bits, nullptr, false},
      {"memory_mib", &HarvestCard::memory_mib, nullptr, true},
      {"l2_kib", &HarvestCard::l2_kib, nullptr, true},
      {"threads_per_sm", &HarvestCard::threads_per_sm, nullptr, true},
      {"blocks_per_sm", &HarvestCard::blocks_per_sm, nullptr, false},
      {"registers_per_sm", &HarvestCard::registers_per_sm, nullptr, true},
      {"shared_kib_per_sm", &HarvestCard::shared_kib_per_sm, nullptr, true},
      {"driver", nullptr, &HarvestCard::driver, true},
      {"runtime", nullptr, &HarvestCard::runtime, true},
      {"date", nullptr, &HarvestCard::date, true},
  };
  return keys;
}

std::string trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  return start == std::string::npos ? "" : text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

// Reads the lines that begin with '#', which come first.
class HeadReader {
 public:
  explicit HeadReader(const std::string& file) : file_(file) {}

  // Takes the text after '#' of the next line.
  void take(const std::string& text, std::size_t line) {
    line_ = line;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) fail("is no '# key: value'");
    const std::string key = trimmed(text.substr(0, colon));
    const std::string value = trimmed(text.substr(colon + 1));
    if (seen_.empty()) check_format(key, value);
    if (!seen_.insert(key).second) fail(fmt::format("'{}' stands twice", key));
    if (key != kFormat) set(key, value);
  }

  HarvestCard finish(std::size_t line) {
    line_ = line;
    if (seen_.empty()) fail(fmt::format("the first line must be '# {}: {}'", kFormat, kVersion));
    for (const CardKey& key : card_keys())
      if (key.required && seen_.count(key.name) == 0)
        fail(fmt::format("has no line '# {}: ...' before the table", key.name));
    return card_;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw config::Error({fmt::format("{}:{}: {}", file_, line_, message)});
  }

  void check_format(const std::string& key, const std::string& value) const {
    if (key != kFormat) fail(fmt::format("the first line must be '# {}: {}'", kFormat, kVersion));
    if (value != kVersion)
      fail(fmt::format("is of version '{}' of the format; this program reads version {}", value, kVersion));
  }

  void set(const std::string& key, const std::string& value) {
    const std::vector<CardKey>& keys = card_keys();
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const CardKey& one) { return key == one.name; });
    if (found == keys.end()) {
      std::vector<std::string> names;
      names.reserve(keys.size());
      for (const CardKey& one : keys) names.emplace_back(one.name);
      fail(fmt::format("unknown key '{}'; known: {}", key, fmt::join(names, ", ")));
    }
    if (value.empty()) fail(fmt::format("'{}' has no value", key));
    if (found->text != nullptr) {
      card_.*found->text = value;
      return;
    }
    double number = 0;
    if (!correlate::read_decimal(value, number) || !(number > 0) || number > 1e9)
      fail(fmt::format("'{}' of '{}' is no number above 0", value, key));
    card_.*found->number = number;
  }

  const std::string& file_;
  std::size_t line_ = 1;
  std::set<std::string> seen_;
  HarvestCard card_;
};

HarvestParameters read_parameters(const std::string& text, const CsvReader& rows) {
  HarvestParameters parameters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      rows.fail(fmt::format("'{}' of 'parameters' is no name=value", word));
    const std::string name = word.substr(0, equals);
    for (const auto& [known, value] : parameters)
      if (known == name) rows.fail(fmt::format("the parameter '{}' stands twice", name));
    parameters.emplace_back(name, word.substr(equals + 1));
    at = end + 1;
  }
  return parameters;
}

void check_value(const std::string& what, const std::string& name, const std::string& value,
                 const CsvReader& rows) {
  const std::string key = what + "." + name;
  if (const auto words = kWords.find(key); words != kWords.end())
    if (std::find(words->second.begin(), words->second.end(), value) == words->second.end())
      rows.fail(fmt::format("unknown {} '{}' of '{}'; known: {}", name, value, what,
                            fmt::join(words->second, ", ")));
  if (kNumbers.count(key) > 0 && read_whole(value).value_or(0) == 0)
    rows.fail(fmt::format("'{}' of the parameter '{}' is no whole number above 0", value, name));
}

void check_parameters(const RowKind& kind, const HarvestRow& row, const CsvReader& rows) {
  bool open = false;
  std::set<std::string> known;
  for (const std::string& name : kind.parameters) {
    open = open || name == "...";
    known.insert(name.back() == '?' ? name.substr(0, name.size() - 1) : name);
    if (name != "..." && name.back() != '?' && row.parameter(name).empty())
      rows.fail(fmt::format("'{}' has no parameter '{}'", row.what, name));
  }
  for (const auto& [name, value] : row.parameters) {
    if (!open && known.count(name) == 0)
      rows.fail(fmt::format("unknown parameter '{}' of '{}'", name, row.what));
    check_value(row.what, name, value, rows);
  }
  if (row.what == "latency" && row.parameter("memory") != "shared" && row.parameter("footprint").empty())
    rows.fail("'latency' of this memory has no parameter 'footprint'");
}

double read_number(const std::string& cell, const std::string& column, const CsvReader& rows) {
  double number = 0;
  if (cell.empty()) rows.fail(fmt::format("'{}' is missing", column));
  if (!correlate::read_decimal(cell, number))
    rows.fail(fmt::format("'{}' of '{}' is no number", cell, column));
  if (!(number > 0)) rows.fail(fmt::format("'{}' of '{}' is not above 0", cell, column));
  return number;
}

HarvestRow read_row(const std::vector<std::string>& cells, const CsvReader& rows) {
  if (cells.size() != kHead.size())
    rows.fail(fmt::format("has {} cells, the head has {}", cells.size(), kHead.size()));
  HarvestRow row;
  row.what = cells[0];
  const std::vector<RowKind>& kinds = row_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const RowKind& one) { return row.what == one.what; });
  if (kind == kinds.end()) {
    std::vector<std::string> names;
    names.reserve(kinds.size());
    for (const RowKind& one : kinds) names.emplace_back(one.what);
    rows.fail(fmt::format("unknown row '{}'; known: {}", row.what, fmt::join(names, ", ")));
  }
  row.parameters = read_parameters(cells[1], rows);
  check_parameters(*kind, row, rows);
  row.value = read_number(cells[2], kHead[2], rows);
  row.unit = cells[3];
  if (row.unit != kind->unit)
    rows.fail(fmt::format("'{}' is in {}, not in '{}'", row.what, kind->unit, row.unit));
  row.repetitions = read_whole(cells[4]).value_or(0);
  if (row.repetitions == 0)
    rows.fail(fmt::format("'{}' of 'repetitions' is no whole number above 0", cells[4]));
  row.least = read_number(cells[5], kHead[5], rows);
  row.most = read_number(cells[6], kHead[6], rows);
  if (row.least > row.value || row.value > row.most)
    rows.fail(fmt::format("the value {} does not lie between {} and {}", cells[2], cells[5], cells[6]));
  return row;
}

// Reads the lines before the table, and replaces them by blank ones, so that the lines keep their numbers.
HarvestCard read_card(std::string& text, const std::string& file) {
  HeadReader head(file);
  std::size_t line = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string content = trimmed(text.substr(at, end - at));
    if (!content.empty() && content.front() != '#') break;
    if (!content.empty()) head.take(content.substr(1), line);
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
              ' ');
    at = end + 1;
    ++line;
  }
  return head.finish(line);
}

}  // namespace

std::string HarvestRow::parameter(const std::string& name) const {
  for (const auto& [known, text] : parameters)
    if (known == name) return text;
  return {};
}

std::uint64_t HarvestRow::number(const std::string& name) const {
  return read_whole(parameter(name)).value_or(0);
}

std::optional<double> Harvest::find(const std::string& what, const HarvestParameters& parameters) const {
  for (const HarvestRow& row : rows)
    if (row.what == what && row.parameters == parameters) return row.value;
  return std::nullopt;
}

Harvest read_harvest(const std::string& text, const std::string& file) {
  std::string table = text;
  Harvest harvest;
  harvest.card = read_card(table, file);
  CsvReader rows(table, file);
  std::vector<std::string> cells;
  if (!rows.next(cells)) throw config::Error({file + ": has no table behind the card"});
  if (cells != kHead) rows.fail(fmt::format("the head of the table must be {}", fmt::join(kHead, ",")));
  std::set<std::pair<std::string, HarvestParameters>> seen;
  while (rows.next(cells)) {
    HarvestRow row = read_row(cells, rows);
    if (!seen.emplace(row.what, row.parameters).second) rows.fail("this row stands twice");
    harvest.rows.push_back(std::move(row));
  }
  if (harvest.rows.empty()) throw config::Error({file + ": has no measurement"});
  return harvest;
}

}  // namespace heddle::imported
