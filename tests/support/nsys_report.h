#pragma once
// Writes databases as `nsys export --type sqlite` does, with the tables and columns of its documentation
// ("SQLite Schema Reference" of Nsight Systems 2024.6). Their rows are made up.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace heddle::test {

class NsysReport {
 public:
  static constexpr std::int64_t kPid = (std::int64_t{4711} << 24) + (std::int64_t{1} << 48);  // process 4711

  explicit NsysReport(const std::filesystem::path& path) {
    std::filesystem::remove(path);
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK);
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  }
  ~NsysReport() {
    settle();
    execute("COMMIT");
    sqlite3_close(handle_);
  }
  NsysReport(const NsysReport&) = delete;
  NsysReport& operator=(const NsysReport&) = delete;

  void execute(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle_) << " in " << sql;
  }

  // The first row of a table creates the table: a report of Nsight Systems lacks the tables that would be
  // empty.
  void make_kernels() {
    if (kernels_++ > 0) return;
    execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
        "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT "
        "NULL, "
        "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT "
        "NULL, "
        "mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, "
        "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, "
        "blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "
        "dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, "
        "localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, "
        "graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER)");
  }
  void make_copies() {
    if (copies_++ > 0) return;
    execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
        "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT "
        "NULL, "
        "correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, "
        "deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId "
        "INTEGER, "
        "dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, "
        "virtualAddress INTEGER, copyCount INTEGER)");
  }
  void make_fills() {
    if (fills_++ > 0) return;
    execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "
        "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT "
        "NULL, "
        "correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
        "graphNodeId INTEGER, memKind INTEGER)");
  }

  struct Launch {
    std::int64_t start = 0;  // ns
    std::int64_t end = 0;
    std::string name = "k";
    std::int64_t stream = 7;
    std::int64_t grid = 64;
    std::int64_t block = 256;
    std::int64_t context = 1;
    std::int64_t pid = kPid;
  };

  void launch(const Launch& launch) {
    make_kernels();
    if (launch_ == nullptr)
      prepare(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, ?3, NULL, ?4, 1, ?5, ?6, ?7, NULL, 0, "
          "0, 24, "
          "?8, 1, 1, ?9, 1, 1, 512, 256, 0, 0, 1, NULL, NULL, NULL)",
          launch_);
    const std::int64_t values[] = {
        launch.start,      launch.end,  launch.context,
        launch.stream,     launch.pid,  name("void " + launch.name + "<int>(int*)"),
        name(launch.name), launch.grid, launch.block};
    insert(launch_, values, 9);
  }

  void copy(std::int64_t start, std::int64_t end, std::int64_t kind, std::int64_t bytes,
            std::int64_t stream = 7) {
    make_copies();
    if (copy_ == nullptr)
      prepare(
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?1, ?2, 0, 1, NULL, ?3, 1, ?4, ?5, ?6, NULL, 1, 2, "
          "NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1)",
          copy_);
    const std::int64_t values[] = {start, end, stream, kPid, bytes, kind};
    insert(copy_, values, 6);
  }

  void fill(std::int64_t start, std::int64_t end, std::int64_t value, std::int64_t bytes) {
    make_fills();
    if (fill_ == nullptr)
      prepare("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?1, ?2, 0, 1, NULL, 7, 1, ?3, ?4, ?5, NULL, 2)",
              fill_);
    const std::int64_t values[] = {start, end, kPid, value, bytes};
    insert(fill_, values, 5);
  }

  // Closes the prepared statements. SQLite refuses to change a table that one of them uses.
  void settle() {
    for (sqlite3_stmt** statement : {&launch_, &copy_, &fill_}) {
      sqlite3_finalize(*statement);
      *statement = nullptr;
    }
  }

 private:
  void prepare(const char* sql, sqlite3_stmt*& statement) {
    EXPECT_EQ(sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle_);
  }

  void insert(sqlite3_stmt* statement, const std::int64_t* values, int count) {
    for (int i = 0; i < count; ++i) sqlite3_bind_int64(statement, i + 1, values[i]);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE) << sqlite3_errmsg(handle_);
    sqlite3_reset(statement);
  }

  std::int64_t name(const std::string& text) {
    const auto [place, is_new] = names_.emplace(text, static_cast<std::int64_t>(names_.size()) + 100);
    if (is_new)
      execute("INSERT INTO StringIds VALUES (" + std::to_string(place->second) + ", '" + text + "')");
    return place->second;
  }

  sqlite3* handle_ = nullptr;
  sqlite3_stmt* launch_ = nullptr;
  sqlite3_stmt* copy_ = nullptr;
  sqlite3_stmt* fill_ = nullptr;
  std::map<std::string, std::int64_t> names_;
  int kernels_ = 0;
  int copies_ = 0;
  int fills_ = 0;
};

}  // namespace heddle::test
