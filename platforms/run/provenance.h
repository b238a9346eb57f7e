#pragma once
// The origin of a result: version, revision, host and command line, and a hash of the program itself.

#include <optional>
#include <string>
#include <vector>

namespace heddle {

std::string version();                              // "0.1.0 (revision)"
std::string build_id();                             // hash of the program and its libraries on disk
std::string library_id();                           // of the library alone with which plug-ins are linked
std::string content_hash(const std::string& text);  // SHA-1, in hex
std::string file_hash(const std::string& file);     // hash of the contents; throws config::Error

struct UsedPlugin {
  std::string file;  // absolute path
  std::string hash;  // of its content
  std::vector<std::string> policies;
};

struct RunSpeed {
  double wall_seconds = 0;
  double cycles_per_second = 0;  // core cycles with a kernel resident per second of wall time
};

struct LabelledSpeed {
  std::string label;
  RunSpeed speed;
};

struct Provenance {
  std::string version;
  std::string revision;
  std::string build_id;
  std::string host;
  std::vector<std::string> argv;
  std::vector<UsedPlugin> plugins;
  // A campaign's run has these times: `started` and `ended` are the wall clock in seconds since 1970. `speed`
  // and `cpu_seconds` have values if the run succeeded.
  std::optional<double> started;
  std::optional<RunSpeed> speed;
  std::optional<double> cpu_seconds;
  std::optional<double> ended;
  std::vector<std::string> notes;   // what happened to kernels as they were loaded
  std::vector<LabelledSpeed> runs;  // by variant; empty except for an experiment
};

// Returns the provenance of this process: the members before `started`.
Provenance provenance(const std::vector<std::string>& argv);

}  // namespace heddle
