#pragma once
// What is taken of a trace of requests, and how.

#include <cstdint>
#include <limits>
#include <string>

namespace heddle::imported {

struct ArrivalOptions {
  std::string format;        // the name of a TraceFormat; empty: the one that the names of columns tell
  std::string time_column;   // of a table; empty: the one with a usual name
  std::string time_unit;     // of that column, such as "ms" or "date"; empty: its name tells
  std::string from;          // a time since the first arrival such as "10s", or a date; empty: from the start
  std::string to;            // exclusive; empty: to the end
  double rate_scale = 1;     // times are divided by it, above 0
  double thin = 1;           // each request is kept with this probability, in (0, 1]
  std::uint64_t seed = 1;    // of the draws
  std::string function;      // a function, or "app/function"; empty: all
  std::string model;         // empty: all
  std::string place;         // "even" or "uniform" within a minute; empty: even
  bool with_failed = false;  // also takes requests without an answer
  std::uint64_t requests = std::numeric_limits<std::uint64_t>::max();  // the most that are kept
};

}  // namespace heddle::imported
