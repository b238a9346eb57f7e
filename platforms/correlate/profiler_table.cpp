#include "platforms/correlate/profiler_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "models/core/config/config.h"
#include "platforms/correlate/csv_reader.h"

namespace heddle::correlate {

namespace {

constexpr std::size_t kMostRemarks = 1000;  // rows of a profiler before the head

// Where the cells of interest stand in a row.
struct Heads {
  std::size_t kernel = 0, metric = 0, value = 0;
  std::optional<std::size_t> unit;
  std::size_t cells = 0;
  bool is_event = false;  // of nvprof
  std::string format;
};

std::optional<std::size_t> place_of(const std::vector<std::string>& row, const std::string& head) {
  const auto found = std::find(row.begin(), row.end(), head);
  if (found == row.end()) return std::nullopt;
  return static_cast<std::size_t>(found - row.begin());
}

std::optional<Heads> heads_of(const std::vector<std::string>& row) {
  Heads heads;
  heads.cells = row.size();
  auto kernel = place_of(row, "Kernel Name"), metric = place_of(row, "Metric Name");
  auto value = place_of(row, "Metric Value");
  heads.unit = place_of(row, "Metric Unit");
  heads.format = "ncu";
  if (!kernel) {
    kernel = place_of(row, "Kernel");
    heads.format = "nvprof";
    heads.is_event = !metric;
    if (!metric) metric = place_of(row, "Event Name");
    value = place_of(row, "Total");
    if (!heads.is_event || !value) value = place_of(row, "Avg");
  }
  if (!kernel || !metric || !value) return std::nullopt;
  heads.kernel = *kernel;
  heads.metric = *metric;
  heads.value = *value;
  return heads;
}

// Reads rows up to the head. The profilers write remarks of other forms before it.
std::optional<Heads> find_heads(CsvReader& rows) {
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < kMostRemarks && rows.next(cells); ++row)
    if (std::optional<Heads> heads = heads_of(cells)) return heads;
  return std::nullopt;
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Returns the factor of a unit's prefix.
double factor_of(std::string_view unit) {
  constexpr std::string_view kLarge = "KMGTP", kSmall = "mun";
  if (unit.size() < 2) return 1;
  const std::string_view rest = unit.substr(1);
  const std::size_t large = kLarge.find(unit.front()), small = kSmall.find(unit.front());
  double factor = 1;
  if (large != std::string_view::npos && (starts_with(rest, "byte") || starts_with(rest, "hz"))) {
    for (std::size_t i = 0; i <= large; ++i) factor *= 1000;
  } else if (small != std::string_view::npos && starts_with(rest, "second")) {
    for (std::size_t i = 0; i <= small; ++i) factor /= 1000;
  }
  return factor;
}

// Returns the number of a cell, in which digits may be grouped by commas and a percent sign may follow.
bool read_value(std::string cell, double& number) {
  cell.erase(std::remove(cell.begin(), cell.end(), ','), cell.end());
  if (!cell.empty() && cell.back() == '%') cell.pop_back();
  return read_decimal(cell, number);
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The values under one name.
struct Sum {
  double value = 0;
  std::size_t rows = 0;
  bool adds = true;
};

class Profile {
 public:
  void add(const std::string& name, double value, bool adds) {
    const auto [found, is_new] = index_.emplace(name, sums_.size());
    if (is_new) {
      names_.push_back(name);
      sums_.emplace_back();
    }
    Sum& sum = sums_[found->second];
    sum.value += value;
    sum.adds = sum.adds && adds;
    ++sum.rows;
  }

  std::vector<ProfiledCounter> counters() const {
    std::vector<ProfiledCounter> counters;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (sums_[i].adds || sums_[i].rows == 1) counters.push_back({names_[i], sums_[i].value});
    return counters;
  }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> names_;
  std::vector<Sum> sums_;
};

}  // namespace

std::optional<std::string> profiler_format(std::string_view text) {
  const std::string no_file;
  try {
    CsvReader rows(text, no_file);
    const std::optional<Heads> heads = find_heads(rows);
    if (heads) return heads->format;
  } catch (const config::Error&) {
    return std::nullopt;  // no table: whoever reads it says so
  }
  return std::nullopt;
}

std::vector<ProfiledCounter> read_profile(const std::string& text, const std::string& file,
                                          const std::string& format) {
  CsvReader rows(text, file);
  const std::optional<Heads> heads = find_heads(rows);
  if (!heads || heads->format != format)
    throw config::Error({fmt::format("{}: has no row with the heads of {}", file, format)});
  Profile profile;
  std::vector<std::string> cells;
  while (rows.next(cells)) {
    if (starts_with(cells[0], "==")) continue;
    if (cells.size() != heads->cells)
      rows.fail(fmt::format("has {} cells, the head has {}", cells.size(), heads->cells));
    double value = 0;
    const std::string& cell = cells[heads->value];
    if (!read_value(cell, value)) continue;  // a text, such as the name of a device
    if (heads->unit) value *= factor_of(cells[*heads->unit]);
    const std::string& metric = cells[heads->metric];
    const std::string& kernel = cells[heads->kernel];
    const bool adds = heads->is_event || (format == "ncu" && ends_with(metric, ".sum"));
    profile.add(metric, value, adds);
    profile.add(fmt::format("{}@{}", metric, kernel.substr(0, kernel.find('('))), value, adds);
  }
  return profile.counters();
}

}  // namespace heddle::correlate
