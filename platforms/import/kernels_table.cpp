#include "platforms/import/kernels_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/correlate/csv_reader.h"
#include "platforms/import/table_cells.h"

namespace heddle::imported {

namespace {

using correlate::CsvReader;

const std::vector<std::string> kColumns{"name",  "start_",    "end_",           "duration_", "grid",
                                        "block", "registers", "shared_memory_", "stream",    "context"};

struct Launch {
  Span span;
  std::uint32_t kernel = 0;
  std::uint64_t stream = 0;
  std::uint64_t context = 0;
  std::size_t line = 0;
};

class KernelsTable {
 public:
  KernelsTable(const std::string& text, const std::string& file, const TableOptions& options)
      : file_(file), options_(options), rows_(text, file) {}

  RecordedApplication read() {
    head();
    std::vector<std::string> cells;
    while (rows_.next(cells)) row(cells);
    if (launches_.empty()) throw config::Error({file_ + ": has no launch"});
    choose();
    return build();
  }

 private:
  void head() {
    std::vector<std::string> names;
    if (!rows_.next(names)) throw config::Error({file_ + ": is empty; the first line names the columns"});
    columns_ = TableColumns(names, kColumns, {"name", "start_", "grid", "block"}, rows_);
    columns_.require_scale("start", kTimeUnits, rows_);
    columns_.require_scale("end", kTimeUnits, rows_);
    columns_.require_scale("duration", kTimeUnits, rows_);
    columns_.require_scale("shared_memory", kByteUnits, rows_);
    if (columns_.has("end") == columns_.has("duration"))
      rows_.fail("needs one of the columns end_UNIT and duration_UNIT");
  }

  void row(const std::vector<std::string>& cells) {
    columns_.check_count(cells, rows_);
    KernelShape shape;
    shape.name = columns_.text("name", cells);
    shape.short_name = short_name(shape.name);
    shape.grid = size("grid", cells);
    shape.block = size("block", cells);
    shape.registers = columns_.whole("registers", cells, rows_, 0);
    shape.dynamic_shared = columns_.scaled("shared_memory", cells, rows_, 0);
    if (const std::string problem = problem_of(shape); !problem.empty()) rows_.fail(problem);
    Launch launch;
    launch.span.start_ps = columns_.scaled("start", cells, rows_);
    launch.span.end_ps = columns_.has("end")
                             ? columns_.scaled("end", cells, rows_)
                             : launch.span.start_ps + columns_.scaled("duration", cells, rows_);
    if (launch.span.end_ps < launch.span.start_ps) rows_.fail("it ends before it starts");
    launch.kernel = kernels_.emplace(shape, static_cast<std::uint32_t>(kernels_.size())).first->second;
    launch.stream = columns_.whole("stream", cells, rows_, 0);
    launch.context = columns_.whole("context", cells, rows_, 0);
    launch.line = rows_.line();
    launches_.push_back(launch);
  }

  // "8", "8x66" or "8x66x1"
  std::array<std::uint64_t, 3> size(const std::string& column, const std::vector<std::string>& cells) {
    std::array<std::uint64_t, 3> result{1, 1, 1};
    const std::string text = columns_.text(column, cells);
    std::size_t at = 0;
    for (std::size_t i = 0;; ++i) {
      const std::size_t end = std::min(text.find('x', at), text.size());
      const std::optional<std::uint64_t> number = read_whole(text.substr(at, end - at));
      if (!number || i == result.size())
        rows_.fail(fmt::format("'{}' of '{}' is no size such as 8, 8x66 or 8x66x1", text, column));
      result[i] = *number;
      if (end == text.size()) return result;
      at = end + 1;
    }
  }

  // A name of C++ without its template arguments and parameters.
  static std::string short_name(const std::string& name) {
    const std::string whole = name.substr(0, name.find_first_of("<("));
    const std::size_t blank = whole.find_last_of(" :");
    const std::string last = blank == std::string::npos ? whole : whole.substr(blank + 1);
    return last.empty() ? name : last;
  }

  void choose() {
    std::map<std::uint64_t, std::uint64_t> contexts;
    for (const Launch& launch : launches_) ++contexts[launch.context];
    std::vector<std::string> known;
    known.reserve(contexts.size());
    for (const auto& [context, count] : contexts)
      known.push_back(fmt::format("{} ({} launches)", context, count));
    if (!options_.context && contexts.size() > 1)
      throw config::Error(
          {fmt::format("{}: has launches of several contexts, and an application has one; --context "
                       "chooses: {}",
                       file_, fmt::join(known, ", "))});
    if (options_.context && contexts.count(*options_.context) == 0)
      throw config::Error({fmt::format("{}: has no launch of context {}; it has {}", file_, *options_.context,
                                       fmt::join(known, ", "))});
    if (options_.context)
      launches_.erase(
          std::remove_if(launches_.begin(), launches_.end(),
                         [&](const Launch& launch) { return launch.context != *options_.context; }),
          launches_.end());
  }

  RecordedApplication build() {
    std::stable_sort(launches_.begin(), launches_.end(),
                     [](const Launch& a, const Launch& b) { return a.span.start_ps < b.span.start_ps; });
    std::vector<const KernelShape*> shapes(kernels_.size());
    for (const auto& [shape, number] : kernels_) shapes[number] = &shape;
    ApplicationBuilder builder;
    const std::uint64_t first = launches_.front().span.start_ps;
    for (const Launch& launch : launches_) {
      const std::uint64_t since = launch.span.start_ps - first;
      if (since < options_.from_ps || since >= options_.to_ps) continue;
      builder.launch(builder.kernel(*shapes[launch.kernel]), launch.stream, launch.span);
    }
    if (!builder.has_launch()) throw config::Error({file_ + ": has no launch between --from and --to"});
    return builder.finish();
  }

  const std::string& file_;
  const TableOptions& options_;
  CsvReader rows_;
  TableColumns columns_;
  std::map<KernelShape, std::uint32_t> kernels_;
  std::vector<Launch> launches_;
};

}  // namespace

RecordedApplication read_kernels_table(const std::string& text, const std::string& file,
                                       const TableOptions& options) {
  return KernelsTable(text, file, options).read();
}

}  // namespace heddle::imported
