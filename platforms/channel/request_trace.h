#pragma once
// A trace of memory requests, streamed: a line for each, `R 0x<hex>` or `W 0x<hex>`, the byte address within
// a memory channel. Blank lines are passed over.

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
  // Throws config::Error where the file cannot be opened.
  explicit RequestTrace(const std::string& file);

  // None at the end. Throws config::Error with file and line for anything that is no request, and where
  // reading fails.
  std::optional<TraceRequest> next();

  std::uint64_t line() const { return line_; }            // of the last request, from 1
  [[noreturn]] void fail(const std::string& what) const;  // a config::Error at that line

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool read_line();  // into text_, without its end; false at the end of the file
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
