#pragma once
// A cache of the results of applications that run alone. It lasts between runs. The key is a hash of
// everything that a result depends on: the machine as resolved, the application and the program that
// simulates it.

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/experiment/experiment.h"
#include "platforms/run/result/alone_run.h"

namespace heddle {

class AloneCache {
 public:
  // `directory` is empty for the user's cache ($HEDDLE_CACHE, else $XDG_CACHE_HOME/heddle, else
  // ~/.cache/heddle), or "none" for no cache. A cache that cannot be written is no error; it costs time only.
  // Throws config::Error if the directory is named and is none.
  explicit AloneCache(const std::string& directory);
  const std::string& directory() const { return directory_; }  // empty: there is no cache

  // Returns the key of an application of an experiment. A trace has an empty key, under which nothing is
  // stored.
  static std::string key(const Experiment& experiment, std::size_t application);
  std::optional<AloneRun> find(const std::string& key) const;
  void store(const std::string& key, const AloneRun& run) const;

 private:
  std::string directory_;
};

}  // namespace heddle
