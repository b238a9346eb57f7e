#pragma once
// A reader that streams a trace of memory requests. Each line is a request, `R 0x<hex>` or `W 0x<hex>`, with
// the byte address within a memory channel. Blank lines are skipped.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

struct TraceRequest {
  bool write = false;
  Address address = 0;
};

class RequestTrace {
 public:
  // Throws config::Error if the file cannot be opened.
  explicit RequestTrace(const std::string& file);

  // Returns the next request, or none at the end. Throws config::Error with file and line for a line that is
  // no request, and for a read error.
  std::optional<TraceRequest> next();

  std::uint64_t line() const { return line_; }            // line of the last request, from 1
  [[noreturn]] void fail(const std::string& what) const;  // throws config::Error at line()

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  // Reads a line into text_, without its line end; returns false at the end of the file.
  bool read_line();
  bool refill();
  TraceRequest parse() const;

  const std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::string text_;
  std::uint64_t line_ = 0;
};

}  // namespace heddle
