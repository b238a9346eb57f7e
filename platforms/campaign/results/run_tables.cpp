#include "platforms/campaign/results/run_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "platforms/campaign/results/csv_file.h"
#include "platforms/campaign/store/run_files.h"

namespace heddle {

namespace {

constexpr std::array kRunTables{"kernels",        "handovers",        "requests",
                                "series",         "series_runs",      "series_paths",
                                "series_columns", "series_intervals", "series_values"};

// The values of a column stand one after the other: that of interval 1 has the number before + 1. CROSS JOIN
// makes SQLite take the tables in this order, so that it finds the rows of a run and a path by their keys.
constexpr const char* kSeriesTables = R"(
CREATE TABLE series_runs(number INTEGER PRIMARY KEY, run TEXT UNIQUE);
CREATE TABLE series_paths(number INTEGER PRIMARY KEY, path TEXT, unit TEXT, kind TEXT, description TEXT,
                          UNIQUE(path, unit, kind));
CREATE TABLE series_intervals(run INTEGER, interval INTEGER, cycle INTEGER, ps INTEGER,
                              PRIMARY KEY(run, interval)) WITHOUT ROWID;
CREATE TABLE series_columns(run INTEGER, path INTEGER, before INTEGER, PRIMARY KEY(run, path)) WITHOUT ROWID;
CREATE TABLE series_values(number INTEGER PRIMARY KEY, value REAL);
CREATE VIEW series AS SELECT r.run AS run, i.cycle AS cycle, i.ps AS ps, p.path AS path, v.value AS value,
  p.unit AS unit, p.kind AS kind
FROM series_runs AS r CROSS JOIN series_paths AS p
  CROSS JOIN series_columns AS c ON c.run = r.number AND c.path = p.number
  CROSS JOIN series_intervals AS i ON i.run = r.number
  CROSS JOIN series_values AS v ON v.number = c.before + i.interval;
)";

template <class Number>
bool parse(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// Whether a column has texts even where they look like numbers.
bool is_name(const std::string& column) {
  return column == "application" || column == "kernel" || column == "outcome" || column == "way" ||
         column == "mostly" || column == "mostly_application";
}

// Binds an empty cell as NULL, and a number as a number.
void bind_cell(Statement& statement, const std::string& cell) {
  std::uint64_t whole = 0;
  double real = 0;
  if (cell.empty())
    statement.bind(std::nullopt);
  else if (parse(cell, whole) && whole <= std::numeric_limits<std::int64_t>::max())
    statement.bind(whole);
  else if (parse(cell, real))
    statement.bind(real);
  else
    statement.bind(cell);
}

// A series.csv, by column. An empty cell is NaN.
struct SeriesColumns {
  std::vector<std::uint64_t> cycles;  // by interval
  std::vector<std::uint64_t> ps;
  std::vector<std::vector<double>> values;  // by column, without those two
};

SeriesColumns read_series(const std::string& file, std::size_t columns) {
  CsvFile csv(file);
  if (csv.head().size() != columns + 2)
    fail_damaged(file, fmt::format("it has {} columns in place of {}", csv.head().size(), columns + 2));
  SeriesColumns series;
  series.values.resize(columns);
  while (csv.next()) {
    const std::vector<std::string>& row = csv.row();
    bool is_number = parse(row[0], series.cycles.emplace_back()) && parse(row[1], series.ps.emplace_back());
    for (std::size_t i = 0; i < columns; ++i) {
      double& value = series.values[i].emplace_back(std::nan(""));
      if (const std::string& cell = row[i + 2]; !cell.empty()) is_number = is_number && parse(cell, value);
    }
    if (!is_number) fail_damaged(file, fmt::format("row {} has a cell that is no number", series.ps.size()));
  }
  return series;
}

class RunTableWriter {
 public:
  RunTableWriter(const Results& results, const std::string& directory, Database& database)
      : results_(results), store_(directory), database_(database) {}

  void write() {
    database_.execute("BEGIN");
    write_table("kernels", {"launch"}, kernels_file_of);
    write_table("handovers", {"handover"}, handovers_file_of);
    write_table("requests", {"process", "request"}, requests_file_of);
    write_series();
    database_.execute("COMMIT");
  }

 private:
  struct RunFile {
    std::string run;   // identity
    std::string file;  // that its checksums name
  };

  // Returns the files of the runs that have one, in the order of the runs.
  std::vector<RunFile> files(std::string (*file_of)(const std::string& run)) const {
    std::vector<RunFile> found;
    for (const CollectedRun& run : results_.runs) {
      if (run.record.state != RunState::kOk) continue;
      const std::string path = store_.path_of(run.id);
      const std::string file = file_of(path);
      const std::vector<std::string> summed = summed_files(path);
      if (std::find(summed.begin(), summed.end(), file.substr(path.size() + 1)) != summed.end())
        found.push_back({run.id, file});
    }
    return found;
  }

  // Writes a table that has the columns of all files, by their names. The run and `keys` tell rows apart.
  void write_table(const std::string& table, const std::vector<std::string>& keys,
                   std::string (*file_of)(const std::string& run)) {
    const std::vector<RunFile> found = files(file_of);
    std::vector<std::string> columns = keys;
    for (const RunFile& each : found) {
      const CsvFile csv(each.file);
      for (const std::string& name : csv.head())
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
    std::string declared = "run TEXT";
    for (const std::string& column : columns)
      declared += fmt::format(", {} {}", quoted_name(column), is_name(column) ? "TEXT" : "NUMERIC");
    database_.execute(fmt::format("CREATE TABLE {}({}, PRIMARY KEY(run, {})) WITHOUT ROWID", table, declared,
                                  fmt::join(keys, ", ")));
    const std::vector<std::string> marks(columns.size() + 1, "?");
    Statement insert(database_, fmt::format("INSERT INTO {} VALUES({})", table, fmt::join(marks, ", ")));
    for (const RunFile& each : found) write_rows(each, columns, insert);
  }

  static void write_rows(const RunFile& from, const std::vector<std::string>& columns, Statement& insert) {
    check_content(from.file);
    CsvFile csv(from.file);
    const std::vector<std::string>& head = csv.head();
    const std::string none;
    while (csv.next()) {
      insert.bind(from.run);
      for (const std::string& column : columns) {
        const auto place = std::find(head.begin(), head.end(), column);
        const std::string& cell = place == head.end() ? none : csv.row()[place - head.begin()];
        if (is_name(column))
          insert.bind(cell);
        else
          bind_cell(insert, cell);
      }
      insert.run();
    }
  }

  void write_series() {
    database_.execute(kSeriesTables);
    Statement run(database_, "INSERT INTO series_runs VALUES(?, ?)");
    Statement interval(database_, "INSERT INTO series_intervals VALUES(?, ?, ?, ?)");
    Statement column(database_, "INSERT INTO series_columns VALUES(?, ?, ?)");
    Statement value(database_, "INSERT INTO series_values VALUES(?, ?)");
    std::uint64_t number = 0;
    std::uint64_t before = 0;  // values
    for (const RunFile& each : files(series_file_of)) {
      check_content(each.file);
      const std::vector<std::uint64_t> paths = paths_of(each.run);
      const SeriesColumns series = read_series(each.file, paths.size());
      run.bind(++number).bind(each.run).run();
      for (std::size_t i = 0; i < series.cycles.size(); ++i)
        interval.bind(number).bind(i + 1).bind(series.cycles[i]).bind(series.ps[i]).run();
      for (std::size_t c = 0; c < paths.size(); ++c) {
        column.bind(number).bind(paths[c]).bind(before).run();
        for (const double cell : series.values[c])
          if (++before; !std::isnan(cell)) value.bind(before).bind(cell).run();
      }
    }
  }

  // Returns the numbers of the paths of a run's series, by column. New paths are added to their table.
  std::vector<std::uint64_t> paths_of(const std::string& run) {
    const std::string file = series_columns_file_of(store_.path_of(run));
    check_content(file);
    CsvFile csv(file);
    const std::array places{csv.column("path"), csv.column("unit"), csv.column("kind"),
                            csv.column("description")};
    Statement insert(database_, "INSERT INTO series_paths VALUES(?, ?, ?, ?, ?)");
    std::vector<std::uint64_t> numbers;
    while (csv.next()) {
      const std::vector<std::string>& row = csv.row();
      const auto [known, is_new] =
          paths_.emplace(std::tuple(row[places[0]], row[places[1]], row[places[2]]), paths_.size() + 1);
      numbers.push_back(known->second);
      if (!is_new) continue;
      insert.bind(known->second);
      for (const std::size_t place : places) insert.bind(row[place]);
      insert.run();
    }
    return numbers;
  }

  const Results& results_;
  const RunStore store_;
  Database& database_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> paths_;  // by path, unit, kind
};

}  // namespace

void write_run_tables(const Results& results, const std::string& directory, Database& database) {
  RunTableWriter(results, directory, database).write();
}

bool is_run_table(const std::string& name) {
  return std::find(kRunTables.begin(), kRunTables.end(), name) != kRunTables.end();
}

}  // namespace heddle
