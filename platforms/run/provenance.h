#pragma once
// Who computed a result: version, revision, host, command line; and a hash of the program itself.

#include <optional>
#include <string>
#include <vector>

namespace heddle {

std::string version();   // "0.1.0 (revision)"
std::string build_id();  // hash of the program and its libraries, as they are on disk
std::string content_hash(const std::string& text);  // SHA-1, in hex
std::string file_hash(const std::string& file);     // of what it holds; unreadable: throws config::Error

struct RunSpeed {
  double wall_seconds = 0;
  double cycles_per_second = 0;  // core cycles with a kernel resident per second of wall time
};

struct LabelledSpeed {
  std::string label;  // of a variant
  RunSpeed speed;
};

struct Provenance {
  std::string version;
  std::string revision;
  std::string build_id;
  std::string host;
  std::vector<std::string> argv;
  // Of a campaign's run: wall clock in seconds since 1970, and what the run took if it went well.
  std::optional<double> started;
  std::optional<RunSpeed> speed;
  std::optional<double> cpu_seconds;
  std::optional<double> ended;
  std::vector<LabelledSpeed> runs;  // of an experiment, by variant
};

Provenance provenance(const std::vector<std::string>& argv);  // of this process: all before `started`

}  // namespace heddle
