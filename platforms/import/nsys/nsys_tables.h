#pragma once
// What a report's database has of the tables that are read: tables and columns differ between the versions of
// Nsight Systems.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platforms/campaign/results/database.h"

namespace heddle::imported {

constexpr const char* kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kFillTable = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kGraphTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr const char* kNameTable = "StringIds";
constexpr const char* kGpuTable = "TARGET_INFO_GPU";

// A context of a process, with what it launched.
struct NsysContext {
  std::int64_t global_pid = 0;  // as the report has it
  std::int64_t context = 0;
  std::int64_t device = 0;
  std::uint64_t launches = 0;

  // Returns the number of the process: bits 24 to 47 of a serialised identifier.
  std::uint64_t process() const { return static_cast<std::uint64_t>(global_pid) >> 24U & 0xffffffU; }
};

class NsysTables {
 public:
  // Throws config::Error if the database lacks the table of kernels or the table of names, or if one of its
  // tables lacks a column that is read.
  NsysTables(Database& database, const std::string& file);

  bool has(const std::string& table) const { return columns_.count(table) > 0; }

  // Returns the contexts that have launches, in the order of their numbers.
  std::vector<NsysContext> contexts() const;
  std::uint64_t graph_launches(const NsysContext& context) const;
  std::string gpu_name(std::int64_t device) const;  // empty if it is not there

  // Returns a query over the kernels, copies and fills of one context in the order of their starts. Its
  // columns are those of the enumeration below.
  std::string events_query(const NsysContext& context) const;

  // Returns a query over the copies and fills of the context's process that belong to no context (number 0):
  // start, bytes, and the kind of a copy, which is NULL for a fill.
  std::string without_context_query(const NsysContext& context) const;

 private:
  bool has_column(const std::string& table, const std::string& column) const;
  std::string condition(const std::string& table, const NsysContext& context) const;
  void need(const std::string& table, const std::vector<std::string>& columns) const;

  Database& database_;
  const std::string& file_;
  std::map<std::string, std::set<std::string>> columns_;  // by table that is there
};

// The columns of the query over events. What a row has no use for is NULL.
enum NsysColumn : int {
  kWhat,  // 0 kernel, 1 copy, 2 fill
  kRow,
  kStart,
  kEnd,
  kStream,
  kGridX,  // of copies and fills: the bytes
  kGridY,  // of copies: the kind; of fills: the value
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kName,
  kShortName,
  kNsysColumns
};

}  // namespace heddle::imported
