#pragma once
// The part of SQLite that results need. Each error, as for a damaged file, is thrown as DatabaseError.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle {

class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Database {
 public:
  Database();                                  // opens an empty database in memory
  explicit Database(const std::string& file);  // opens a file for reading
  // Opens an empty database in a file, which replaces one that exists. The same statements give the same
  // bytes. The file is not complete before the database is closed, or if a statement fails.
  static Database make(const std::string& file);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);

 private:
  Database(const std::string& file, int flags);
  Database(const std::string& file, int flags, const char* setup);

  friend class Statement;
  sqlite3* handle_ = nullptr;
};

// One statement. Parameters are bound in their order, and reset() clears them. Columns are numbered from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::optional<std::string_view> text);  // none: NULL
  Statement& bind(std::uint64_t number);                  // below 2^63
  Statement& bind(double number);

  bool step();  // returns whether there is a row
  void reset();
  void run() {  // executes a statement without rows, which can then be bound again
    step();
    reset();
  }

  int columns() const;
  std::string name(int column) const;
  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_real(int column) const;
  std::string text(int column) const;  // NULL: empty
  std::int64_t integer(int column) const;
  double real(int column) const;

 private:
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

std::string quoted_name(const std::string& name);  // "a ""name"""
std::string quoted_text(const std::string& text);  // 'a ''text'''

}  // namespace heddle
