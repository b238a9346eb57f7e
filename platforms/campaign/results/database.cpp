#include "platforms/campaign/results/database.h"

#include <sqlite3.h>

#include <cstdio>

namespace heddle {

namespace {

[[noreturn]] void fail(sqlite3* handle) {
  throw DatabaseError(handle == nullptr ? "no memory for a database" : sqlite3_errmsg(handle));
}

sqlite3* open(const char* file, int flags) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(file, &handle, flags, nullptr) == SQLITE_OK) return handle;
  const std::string problem = handle == nullptr ? "no memory for a database" : sqlite3_errmsg(handle);
  sqlite3_close(handle);
  throw DatabaseError(problem);
}

std::string quoted(const std::string& text, char quote) {
  std::string result(1, quote);
  for (const char letter : text) {
    if (letter == quote) result += quote;
    result += letter;
  }
  return result + quote;
}

}  // namespace

Database::Database() : Database(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {}

Database::Database(const std::string& file) : Database(file, SQLITE_OPEN_READONLY) {}

Database::Database(const std::string& file, int flags) : handle_(open(file.c_str(), flags)) {}

Database::Database(const std::string& file, int flags, const char* setup) : Database(file, flags) {
  execute(setup);
}

// The file needs no journal because a part of it is of no use. Bytes that are not used are zero.
Database Database::make(const std::string& file) {
  std::remove(file.c_str());
  return {file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
          "PRAGMA page_size = 4096; PRAGMA secure_delete = ON; PRAGMA journal_mode = OFF; "
          "PRAGMA synchronous = OFF"};
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_);
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::bind(std::optional<std::string_view> text) {
  ++bound_;
  check(text ? sqlite3_bind_text64(handle_, bound_, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8)
             : sqlite3_bind_null(handle_, bound_));
  return *this;
}

Statement& Statement::bind(std::uint64_t number) {
  check(sqlite3_bind_int64(handle_, ++bound_, static_cast<sqlite3_int64>(number)));
  return *this;
}

Statement& Statement::bind(double number) {
  check(sqlite3_bind_double(handle_, ++bound_, number));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) check(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  check(sqlite3_reset(handle_));
  sqlite3_clear_bindings(handle_);
  bound_ = 0;
}

int Statement::columns() const {
  return sqlite3_column_count(handle_);
}

std::string Statement::name(int column) const {
  return sqlite3_column_name(handle_, column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

bool Statement::is_integer(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_INTEGER;
}

bool Statement::is_real(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_FLOAT;
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return text == nullptr ? ""
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_, column);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(database_.handle_);
}

std::string quoted_name(const std::string& name) {
  return quoted(name, '"');
}

std::string quoted_text(const std::string& text) {
  return quoted(text, '\'');
}

}  // namespace heddle
