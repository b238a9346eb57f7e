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
  // Of ncu's page raw, where a row is a launch: the names by column, empty where it is no metric.
  std::vector<std::string> metrics;
};

std::optional<std::size_t> place_of(const std::vector<std::string>& row, const std::string& head) {
  const auto found = std::find(row.begin(), row.end(), head);
  if (found == row.end()) return std::nullopt;
  return static_cast<std::size_t>(found - row.begin());
}

// Metrics of ncu have two underscores between unit and name: sm__cycles_active.avg.
std::optional<Heads> raw_heads_of(const std::vector<std::string>& row, std::size_t kernel) {
  Heads heads;
  heads.cells = row.size();
  heads.kernel = kernel;
  heads.format = "ncu";
  bool has_metric = false;
  for (const std::string& name : row) {
    const bool is_metric = name.find("__") != std::string::npos;
    heads.metrics.push_back(is_metric ? name : "");
    has_metric = has_metric || is_metric;
  }
  return has_metric ? std::optional<Heads>(heads) : std::nullopt;
}

std::optional<Heads> heads_of(const std::vector<std::string>& row) {
  Heads heads;
  heads.cells = row.size();
  auto kernel = place_of(row, "Kernel Name"), metric = place_of(row, "Metric Name");
  auto value = place_of(row, "Metric Value");
  heads.unit = place_of(row, "Metric Unit");
  heads.format = "ncu";
  if (kernel && !metric) return raw_heads_of(row, *kernel);
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

// What a cell of a profile says.
struct Measured {
  std::string kernel, metric;
  double value = 0;
  bool adds = false;
};

bool adds_up(const Heads& heads, const std::string& metric) {
  return heads.is_event || (heads.format == "ncu" && ends_with(metric, ".sum"));
}

// The values under one name.
struct Sum {
  double value = 0;
  std::size_t rows = 0;
  bool adds = true;
};

class Profile {
 public:
  void add(const Measured& measured) {
    add(measured.metric, measured.value, measured.adds);
    const std::string kernel = measured.kernel.substr(0, measured.kernel.find('('));
    add(fmt::format("{}@{}", measured.metric, kernel), measured.value, measured.adds);
  }

  std::vector<ProfiledCounter> counters() const {
    std::vector<ProfiledCounter> counters;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (sums_[i].adds || sums_[i].rows == 1) counters.push_back({names_[i], sums_[i].value});
    return counters;
  }

 private:
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

  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> names_;
  std::vector<Sum> sums_;
};

// A row of one metric. A value may be a text, such as the name of a device; it is left out.
void add_metric(const Heads& heads, const std::vector<std::string>& cells, Profile& profile) {
  Measured measured{cells[heads.kernel], cells[heads.metric], 0, adds_up(heads, cells[heads.metric])};
  if (!read_value(cells[heads.value], measured.value)) return;
  if (heads.unit) measured.value *= factor_of(cells[*heads.unit]);
  profile.add(measured);
}

// A row with every metric of a launch.
void add_launch(const Heads& heads, const std::vector<std::string>& units,
                const std::vector<std::string>& cells, Profile& profile) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& metric = heads.metrics[i];
    Measured measured{cells[heads.kernel], metric, 0, adds_up(heads, metric)};
    if (metric.empty() || !read_value(cells[i], measured.value)) continue;
    measured.value *= factor_of(units[i]);
    profile.add(measured);
  }
}

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
  std::vector<std::string> cells, units;
  while (rows.next(cells)) {
    if (starts_with(cells[0], "==")) continue;
    if (cells.size() != heads->cells)
      rows.fail(fmt::format("has {} cells, the head has {}", cells.size(), heads->cells));
    if (heads->metrics.empty()) {
      add_metric(*heads, cells, profile);
    } else if (units.empty()) {
      units = cells;  // the row under the head
    } else {
      add_launch(*heads, units, cells, profile);
    }
  }
  return profile.counters();
}

}  // namespace heddle::correlate
