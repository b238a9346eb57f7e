#include "platforms/import/nsys/nsys_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/campaign/results/database.h"
#include "platforms/import/nsys/nsys_tables.h"

namespace heddle::imported {

namespace {

constexpr std::int64_t kMostNs = 9'000'000'000'000'000;  // 9 x 10^6 s; in ps it fits 64 bits

std::string context_text(const NsysContext& context) {
  return fmt::format("--context {} --process {} ({} launches)", context.context, context.process(),
                     context.launches);
}

NsysContext chosen(const std::vector<NsysContext>& contexts, const std::string& file,
                   const NsysOptions& options) {
  std::vector<NsysContext> left;
  std::vector<std::string> known;
  for (const NsysContext& context : contexts) {
    known.push_back(context_text(context));
    if (options.context && static_cast<std::uint64_t>(context.context) != *options.context) continue;
    if (options.process && context.process() != *options.process) continue;
    left.push_back(context);
  }
  if (contexts.empty())
    throw config::Error({fmt::format("{}: {} has no rows: no kernels", file, kKernelTable)});
  if (left.empty())
    throw config::Error({fmt::format("{}: no such context; known: {}", file, fmt::join(known, ", "))});
  if (left.size() > 1)
    throw config::Error({fmt::format("{}: has several contexts, and an application has one; choose: {}", file,
                                     fmt::join(known, ", "))});
  return left.front();
}

// Copies whose kind is no copy between the host and this GPU, by kind (ENUM_CUDA_MEMCPY_OPER).
const std::map<std::int64_t, const char*> kOtherKinds{
    {0, "copies of an unknown kind"},
    {9, "copies from host to host"},
    {10, "copies from GPU to GPU"},
    {11, "migrations of unified memory to the GPU, whose time is that of the kernels that wait for them"},
    {12, "migrations of unified memory to the host, whose time is that of the kernels that wait for them"},
    {13, "migrations of unified memory on the GPU, whose time is that of the kernels that wait for them"}};

std::optional<CopyKind> kind_of(std::int64_t kind) {
  switch (kind) {
    case 1:  // host to device
    case 3:  // host to array
      return CopyKind::kUp;
    case 2:  // device to host
    case 4:  // array to host
      return CopyKind::kDown;
    case 5:  // array to array
    case 6:  // array to device
    case 7:  // device to array
    case 8:  // device to device
      return CopyKind::kAcross;
    default:
      return std::nullopt;
  }
}

class ReportReader {
 public:
  ReportReader(const std::string& file, const NsysOptions& options)
      : file_(file),
        options_(options),
        database_(file),
        tables_(database_, file),
        names_(database_, fmt::format("SELECT value FROM {} WHERE id = ?1", kNameTable)) {}

  NsysRecord read() {
    const NsysContext context = chosen(tables_.contexts(), file_, options_);
    if (const std::uint64_t graphs = tables_.graph_launches(context); graphs > 0)
      throw config::Error(
          {fmt::format("{}: {} has {} launches of whole graphs, whose kernels are not told; record with "
                       "nsys profile --cuda-graph-trace=node",
                       file_, kGraphTable, graphs)});
    Statement rows(database_, tables_.events_query(context));
    while (rows.step()) take(rows);
    if (!builder_.has_launch())
      throw config::Error({fmt::format("{}: has no kernel between --from and --to", file_)});
    find_rows_without_context(context);
    NsysRecord record;
    record.application = builder_.finish();
    record.source = source_of(context);
    for (const auto& [what, left_out] : left_out_)
      record.notes.push_back(
          fmt::format("left out: {} {} ({} bytes)", left_out.first, what, left_out.second));
    if (without_times_ > 0)
      record.notes.push_back(fmt::format("left out: {} rows without times", without_times_));
    return record;
  }

 private:
  std::string source_of(const NsysContext& context) const {
    const std::string gpu = tables_.gpu_name(context.device);
    return fmt::format("Nsight Systems, {}, process {}, context {}{}",
                       std::filesystem::path(file_).filename().string(), context.process(), context.context,
                       gpu.empty() ? "" : ", on " + gpu);
  }

  void take(const Statement& row) {
    row_ = &row;
    const std::int64_t start = number(kStart, "start", 0, kMostNs);
    const std::int64_t end = number(kEnd, "end", 0, kMostNs);
    if (start == 0 && end == 0) {  // CUPTI's sign that the times could not be taken
      ++without_times_;
      return;
    }
    if (end < start) fail(fmt::format("it ends {} ns before it starts", start - end));
    const Span span{static_cast<std::uint64_t>(start) * 1000, static_cast<std::uint64_t>(end) * 1000};
    if (!first_ps_) first_ps_ = span.start_ps;
    const std::uint64_t since = span.start_ps - *first_ps_;
    if (since < options_.from_ps || since >= options_.to_ps) return;
    const auto stream = static_cast<std::uint64_t>(number(kStream, "streamId", 0, INT64_MAX));
    try {
      switch (row.integer(kWhat)) {
        case 0:
          return builder_.launch(kernel(), stream, span);
        case 1:
          return copy(stream, span);
        default:
          return builder_.fill(static_cast<std::uint8_t>(row.integer(kGridY) & 0xff),
                               static_cast<std::uint64_t>(number(kGridX, "bytes", 0, INT64_MAX)), stream,
                               span);
      }
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  void copy(std::uint64_t stream, Span span) {
    const auto bytes = static_cast<std::uint64_t>(number(kGridX, "bytes", 0, INT64_MAX));
    const std::int64_t kind = number(kGridY, "copyKind", 0, INT64_MAX);
    if (const std::optional<CopyKind> known = kind_of(kind))
      return builder_.copy(*known, bytes, stream, span);
    if (kOtherKinds.count(kind) == 0) fail(fmt::format("copyKind {} is not known", kind));
    leave_out(kOtherKinds.at(kind), 1, bytes);
  }

  void leave_out(const std::string& what, std::uint64_t rows, std::uint64_t bytes) {
    auto& [all_rows, all_bytes] = left_out_[what];
    all_rows += rows;
    all_bytes += bytes;
  }

  // Migrations of unified memory belong to the process and no context of it, which a report tells as context
  // 0. Which context's kernels waited for them is not told.
  void find_rows_without_context(const NsysContext& context) {
    Statement rows(database_, tables_.without_context_query(context));
    while (rows.step()) {
      const std::int64_t start = rows.integer(0);
      const auto start_ps = static_cast<std::uint64_t>(std::clamp<std::int64_t>(start, 0, kMostNs)) * 1000;
      // A migration before the first event is of this application if nothing is left out of its begin.
      const std::uint64_t since = start_ps - std::min(start_ps, first_ps_.value_or(0));
      if (since < options_.from_ps || since >= options_.to_ps) continue;
      const auto kind = rows.is_null(2) ? kOtherKinds.end() : kOtherKinds.find(rows.integer(2));
      const std::string what = kind != kOtherKinds.end() ? kind->second
                               : rows.is_null(2)         ? "fills that belong to no context"
                                                         : "copies that belong to no context";
      leave_out(what, 1, static_cast<std::uint64_t>(std::max<std::int64_t>(rows.integer(1), 0)));
    }
  }

  std::uint32_t kernel() {
    std::array<std::int64_t, kNsysColumns - kGridX> key{};
    for (std::size_t i = 0; i < key.size(); ++i)
      key[i] = number(static_cast<int>(i) + kGridX, kKernelNames[i], 0, INT64_MAX);
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return found->second;
    const auto at = [&](int column) {
      return static_cast<std::uint64_t>(key[static_cast<std::size_t>(column - kGridX)]);
    };
    KernelShape shape;
    shape.name = name_of(row_->integer(kName));
    shape.short_name = name_of(row_->integer(kShortName));
    shape.grid = {at(kGridX), at(kGridY), at(kGridZ)};
    shape.block = {at(kBlockX), at(kBlockY), at(kBlockZ)};
    shape.registers = at(kRegisters);
    shape.static_shared = at(kStaticShared);
    shape.dynamic_shared = at(kDynamicShared);
    if (const std::string problem = problem_of(shape); !problem.empty()) fail(problem);
    return kernels_[key] = builder_.kernel(shape);
  }

  std::string name_of(std::int64_t id) {
    names_.reset();
    names_.bind(static_cast<std::uint64_t>(id));
    if (!names_.step()) fail(fmt::format("{} has no name {}", kNameTable, id));
    return names_.text(0);
  }

  std::int64_t number(int column, const char* name, std::int64_t least, std::int64_t most) const {
    if (!row_->is_integer(column)) fail(fmt::format("{} is no whole number", name));
    const std::int64_t value = row_->integer(column);
    if (value < least || value > most) fail(fmt::format("{} is {}", name, value));
    return value;
  }

  [[noreturn]] void fail(const std::string& message) const {
    static constexpr std::array<const char*, 3> kTables{kKernelTable, kCopyTable, kFillTable};
    throw config::Error(
        {fmt::format("{}: {}, row {}: {}", file_, kTables[static_cast<std::size_t>(row_->integer(kWhat))],
                     row_->integer(kRow), message)});
  }

  static constexpr std::array<const char*, kNsysColumns - kGridX> kKernelNames{"gridX",
                                                                               "gridY",
                                                                               "gridZ",
                                                                               "blockX",
                                                                               "blockY",
                                                                               "blockZ",
                                                                               "registersPerThread",
                                                                               "staticSharedMemory",
                                                                               "dynamicSharedMemory",
                                                                               "demangledName",
                                                                               "shortName"};

  const std::string& file_;
  const NsysOptions& options_;
  Database database_;
  NsysTables tables_;
  Statement names_;  // of the names by their numbers
  ApplicationBuilder builder_;
  const Statement* row_ = nullptr;
  std::optional<std::uint64_t> first_ps_;
  std::map<std::array<std::int64_t, kNsysColumns - kGridX>, std::uint32_t> kernels_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> left_out_;  // by what: rows, bytes
  std::uint64_t without_times_ = 0;
};

}  // namespace

NsysRecord read_nsys_report(const std::string& file, const NsysOptions& options) {
  config::check_file(file);
  try {
    return ReportReader(file, options).read();
  } catch (const DatabaseError& error) {
    throw config::Error({fmt::format("{}: {}; nsys export --type sqlite writes such a file of a report", file,
                                     error.what())});
  }
}

}  // namespace heddle::imported
