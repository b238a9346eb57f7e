#include "platforms/campaign/results/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "models/stats/writers.h"
#include "platforms/campaign/results/run_tables.h"
#include "platforms/run/result/metrics.h"

namespace heddle {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE campaign(name TEXT, question TEXT, schema TEXT, points INTEGER, runs INTEGER, runs_ok INTEGER,
                      partial INTEGER);
CREATE TABLE plots(number INTEGER PRIMARY KEY, kind TEXT, x TEXT, y TEXT, series TEXT);
CREATE TABLE keys(number INTEGER PRIMARY KEY, key TEXT, kind TEXT);
CREATE TABLE points(point INTEGER PRIMARY KEY, label TEXT, seed INTEGER);
CREATE TABLE parameters(point INTEGER, key TEXT, value TEXT, PRIMARY KEY(point, key)) WITHOUT ROWID;
CREATE TABLE runs(id TEXT PRIMARY KEY, label TEXT, alone INTEGER, state TEXT, reason TEXT, directory TEXT);
CREATE TABLE samples(sample INTEGER PRIMARY KEY, point INTEGER, variant TEXT, run TEXT, complete INTEGER);
CREATE TABLE baselines(point INTEGER, application INTEGER, name TEXT, run TEXT);
CREATE TABLE metrics(sample INTEGER, name TEXT, value REAL, unit TEXT, PRIMARY KEY(sample, name)) WITHOUT ROWID;
CREATE TABLE application_metrics(sample INTEGER, application INTEGER, name TEXT, metric TEXT, value REAL,
                                 unit TEXT);
CREATE TABLE unfairness(sample INTEGER, begin_ps INTEGER, end_ps INTEGER, value REAL,
                        PRIMARY KEY(sample, begin_ps)) WITHOUT ROWID;
CREATE TABLE provenance(run TEXT, key TEXT, value TEXT);
)";

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

class TableWriter {
 public:
  TableWriter(const Results& results, Database& database) : results_(results), database_(database) {}

  void write() {
    database_.execute("BEGIN");
    database_.execute(kTables);
    write_campaign();
    write_points();
    write_runs();
    write_samples();
    write_measures();
    write_unfairness();
    write_view();
    database_.execute("COMMIT");
  }

 private:
  bool has_seeds() const { return results_.points.front().point.seed.has_value(); }

  void write_campaign() {
    const Campaign& campaign = results_.campaign;
    const auto states = results_.states();
    const auto ok = states.find(RunState::kOk);
    const std::size_t well = ok == states.end() ? 0 : ok->second;
    Statement(database_, "INSERT INTO campaign VALUES(?, ?, ?, ?, ?, ?, ?)")
        .bind(campaign.name)
        .bind(campaign.question)
        .bind(kResultsSchema)
        .bind(results_.points.size())
        .bind(results_.runs.size())
        .bind(well)
        .bind(std::uint64_t{well < results_.runs.size()})
        .run();
    Statement plot(database_, "INSERT INTO plots VALUES(NULL, ?, ?, ?, ?)");
    for (const PlotSpec& spec : campaign.plots)
      plot.bind(spec.kind).bind(given(spec.x)).bind(given(spec.y)).bind(given(spec.series)).run();
    Statement key(database_, "INSERT INTO keys VALUES(NULL, ?, ?)");
    for (const std::string& name : campaign.keys) key.bind(name).bind("axis").run();
    if (has_seeds()) key.bind("seed").bind("seed").run();
  }

  void write_points() {
    Statement statement(database_, "INSERT INTO points VALUES(?, ?, ?)");
    for (const PointRecord& record : results_.points) {
      statement.bind(record.point.number).bind(record.label);
      if (record.point.seed) statement.bind(*record.point.seed);
      statement.run();
    }
    Statement parameter(database_, "INSERT INTO parameters VALUES(?, ?, ?)");
    for (const PointRecord& record : results_.points)
      for (const Assignment& assignment : record.point.values)
        parameter.bind(record.point.number).bind(assignment.key).bind(assignment.value).run();
  }

  void write_runs() {
    Statement statement(database_, "INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?)");
    for (const CollectedRun& run : results_.runs)
      statement.bind(run.id)
          .bind(run.label)
          .bind(std::uint64_t{run.alone})
          .bind(name_of(run.record.state))
          .bind(given(run.record.reason))
          .bind(run.is_kept ? std::optional("runs/" + run.id) : std::nullopt)
          .run();
    Statement provenance(database_, "INSERT INTO provenance VALUES(?, ?, ?)");
    for (const CollectedRun& run : results_.runs)
      for (const auto& [key, value] : run.provenance) provenance.bind(run.id).bind(key).bind(value).run();
  }

  void write_samples() {
    Statement statement(database_, "INSERT INTO samples VALUES(NULL, ?, ?, ?, ?)");
    for (const Sample& sample : results_.samples) {
      const PointRecord& record = results_.points[sample.point];
      statement.bind(record.point.number)
          .bind(record.names.variants[sample.variant])
          .bind(results_.runs[sample.run].id)
          .bind(std::uint64_t{sample.complete})
          .run();
    }
    Statement baseline(database_, "INSERT INTO baselines VALUES(?, ?, ?, ?)");
    for (std::size_t point = 0; point < results_.points.size(); ++point)
      for (std::size_t i = 0; i < results_.alone[point].size(); ++i)
        baseline.bind(results_.points[point].point.number)
            .bind(i)
            .bind(results_.points[point].names.applications[i])
            .bind(results_.runs[results_.alone[point][i]].id)
            .run();
  }

  void write_measures() {
    Statement metric(database_, "INSERT INTO metrics VALUES(?, ?, ?, ?)");
    Statement application(database_, "INSERT INTO application_metrics VALUES(?, ?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < results_.samples.size(); ++i) {
      const Sample& sample = results_.samples[i];
      for (std::size_t m = 0; m < sample.metrics.size(); ++m)
        if (const std::optional<double>& value = sample.metrics[m])
          metric.bind(i + 1).bind(results_.campaign.metrics[m]).bind(*value).bind(results_.units[m]).run();
      const std::vector<std::string>& names = results_.points[sample.point].names.applications;
      for (std::size_t a = 0; a < sample.applications.size(); ++a) {
        const std::vector<ApplicationMetric>& known = application_metrics();
        for (std::size_t m = 0; m < known.size(); ++m)
          if (const std::optional<double>& value = sample.applications[a][m])
            application.bind(i + 1)
                .bind(a)
                .bind(names[a])
                .bind(known[m].name)
                .bind(*value)
                .bind(known[m].unit)
                .run();
      }
    }
  }

  // Windows without a value have no row.
  void write_unfairness() {
    Statement statement(database_, "INSERT INTO unfairness VALUES(?, ?, ?, ?)");
    for (std::size_t i = 0; i < results_.samples.size(); ++i)
      for (const UnfairWindow& window : results_.samples[i].unfairness)
        statement.bind(i + 1).bind(window.begin_ps).bind(window.end_ps).bind(window.value).run();
  }

  void write_view() {
    std::string columns = "s.sample AS sample, s.point AS point";
    for (const std::string& key : results_.campaign.keys)
      columns +=
          fmt::format(",\n  (SELECT value FROM parameters AS p WHERE p.point = s.point AND p.key = {}) AS {}",
                      quoted_text(key), quoted_name(key));
    if (has_seeds()) columns += ",\n  (SELECT seed FROM points AS p WHERE p.point = s.point) AS seed";
    columns +=
        ",\n  s.variant AS variant, r.state AS state, s.complete AS complete, r.directory AS directory";
    for (const std::string& name : results_.campaign.metrics)
      columns +=
          fmt::format(",\n  (SELECT value FROM metrics AS m WHERE m.sample = s.sample AND m.name = {}) AS {}",
                      quoted_text(name), quoted_name(name));
    database_.execute(
        fmt::format("CREATE VIEW {} AS SELECT {}\nFROM samples AS s JOIN runs AS r ON r.id = s.run "
                    "ORDER BY s.sample",
                    quoted_name(view_of(results_.campaign.name)), columns));
  }

  const Results& results_;
  Database& database_;
};

}  // namespace

void write_tables(const Results& results, Database& database) {
  TableWriter(results, database).write();
}

std::string view_of(const std::string& campaign) {
  std::string name = campaign;  // SQLite ignores the case of names
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const bool is_taken = name.rfind("sqlite_", 0) == 0 || is_run_table(name) ||
                        std::string(kTables).find("CREATE TABLE " + name + "(") != std::string::npos;
  return is_taken ? "results_" + campaign : campaign;
}

std::string csv_of(Database& database, const std::string& table) {
  Statement rows(database, "SELECT * FROM " + quoted_name(table));
  std::string csv;
  for (int i = 0; i < rows.columns(); ++i) csv += (i == 0 ? "" : ",") + quoted_csv(rows.name(i));
  csv += '\n';
  while (rows.step()) {
    for (int i = 0; i < rows.columns(); ++i) {
      if (i != 0) csv += ',';
      csv += rows.is_real(i) ? fmt::format("{}", rows.real(i)) : quoted_csv(rows.text(i));
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace heddle
