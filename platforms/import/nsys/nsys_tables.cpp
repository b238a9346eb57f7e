#include "platforms/import/nsys/nsys_tables.h"

#include <fmt/format.h>

#include <utility>

#include "models/core/config/config.h"

namespace heddle::imported {

namespace {

const std::vector<std::string> kKernelColumns{"start",
                                              "end",
                                              "deviceId",
                                              "contextId",
                                              "streamId",
                                              "gridX",
                                              "gridY",
                                              "gridZ",
                                              "blockX",
                                              "blockY",
                                              "blockZ",
                                              "demangledName",
                                              "shortName",
                                              "registersPerThread",
                                              "staticSharedMemory",
                                              "dynamicSharedMemory"};
const std::vector<std::string> kCopyColumns{"start", "end", "contextId", "streamId", "bytes", "copyKind"};
const std::vector<std::string> kFillColumns{"start", "end", "contextId", "streamId", "bytes", "value"};

}  // namespace

NsysTables::NsysTables(Database& database, const std::string& file) : database_(database), file_(file) {
  for (const char* table : {kKernelTable, kCopyTable, kFillTable, kGraphTable, kNameTable, kGpuTable}) {
    Statement columns(database, fmt::format("PRAGMA table_info({})", table));
    while (columns.step()) columns_[table].insert(columns.text(1));
  }
  if (!has(kKernelTable))
    throw config::Error(
        {fmt::format("{}: has no table {}: the report has no kernels, or was not made with "
                     "nsys profile --trace=cuda",
                     file, kKernelTable)});
  need(kKernelTable, kKernelColumns);
  if (has(kCopyTable)) need(kCopyTable, kCopyColumns);
  if (has(kFillTable)) need(kFillTable, kFillColumns);
  if (!has(kNameTable)) throw config::Error({fmt::format("{}: has no table {}", file, kNameTable)});
  need(kNameTable, {"id", "value"});
}

void NsysTables::need(const std::string& table, const std::vector<std::string>& columns) const {
  for (const std::string& column : columns)
    if (!has_column(table, column))
      throw config::Error({fmt::format("{}: table {} has no column '{}'", file_, table, column)});
}

bool NsysTables::has_column(const std::string& table, const std::string& column) const {
  return has(table) && columns_.at(table).count(column) > 0;
}

std::vector<NsysContext> NsysTables::contexts() const {
  const char* const process = has_column(kKernelTable, "globalPid") ? "globalPid" : "0";
  Statement rows(database_,
                 fmt::format("SELECT {0}, contextId, min(deviceId), count(*) FROM {1} GROUP BY 1, 2 "
                             "ORDER BY 1, 2",
                             process, kKernelTable));
  std::vector<NsysContext> result;
  while (rows.step()) {
    for (const auto& [column, name] : {std::pair{0, "globalPid"}, {1, "contextId"}, {2, "deviceId"}})
      if (!rows.is_integer(column) && !rows.is_null(column))
        throw config::Error({fmt::format("{}: {}: {} is no whole number: '{}'", file_, kKernelTable, name,
                                         rows.text(column).substr(0, 60))});
    result.push_back(
        {rows.integer(0), rows.integer(1), rows.integer(2), static_cast<std::uint64_t>(rows.integer(3))});
  }
  return result;
}

std::uint64_t NsysTables::graph_launches(const NsysContext& context) const {
  if (!has_column(kGraphTable, "contextId")) return 0;
  Statement rows(database_,
                 fmt::format("SELECT count(*) FROM {}{}", kGraphTable, condition(kGraphTable, context)));
  return rows.step() ? static_cast<std::uint64_t>(rows.integer(0)) : 0;
}

std::string NsysTables::gpu_name(std::int64_t device) const {
  if (!has_column(kGpuTable, "name") || !has_column(kGpuTable, "id")) return {};
  const char* const key = has_column(kGpuTable, "cuDevice") ? "cuDevice" : "id";
  Statement rows(database_, fmt::format("SELECT name FROM {} WHERE {} = {}", kGpuTable, key, device));
  return rows.step() ? rows.text(0) : std::string();
}

std::string NsysTables::condition(const std::string& table, const NsysContext& context) const {
  std::string text = fmt::format(" WHERE contextId = {}", context.context);
  if (has_column(table, "globalPid"))
    text += fmt::format(" AND ifnull(globalPid, 0) = {}", context.global_pid);
  return text;
}

std::string NsysTables::without_context_query(const NsysContext& context) const {
  NsysContext none = context;
  none.context = 0;
  std::string query = "SELECT NULL, NULL, NULL WHERE 0";
  const auto add = [&](const char* table, const char* kind) {
    if (!has(table) || context.context == 0) return;
    query += fmt::format(" UNION ALL SELECT start, bytes, {} FROM {}{}", kind, table, condition(table, none));
  };
  add(kCopyTable, "copyKind");
  add(kFillTable, "NULL");
  return query;
}

std::string NsysTables::events_query(const NsysContext& context) const {
  std::string query = fmt::format(
      "SELECT 0, rowid, start, \"end\", streamId, gridX, gridY, gridZ, blockX, blockY, blockZ, "
      "registersPerThread, staticSharedMemory, dynamicSharedMemory, demangledName, shortName FROM {}{}",
      kKernelTable, condition(kKernelTable, context));
  const auto add = [&](int what, const char* table, const char* second) {
    if (!has(table)) return;
    query += fmt::format(
        " UNION ALL SELECT {}, rowid, start, \"end\", streamId, bytes, {}, NULL, NULL, NULL, NULL, "
        "NULL, NULL, NULL, NULL, NULL FROM {}{}",
        what, second, table, condition(table, context));
  };
  add(1, kCopyTable, "copyKind");
  add(2, kFillTable, "value");
  return query + " ORDER BY 3, 1, 2";
}

}  // namespace heddle::imported
