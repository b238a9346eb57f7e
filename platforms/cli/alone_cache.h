#pragma once
// Turnaround times of applications alone, kept between runs under the hash of everything they depend on: the
// machine as resolved and the program that simulates it.

#include <cstdint>
#include <optional>
#include <string>

#include "stimuli/experiment.h"

namespace heddle {

class AloneCache {
 public:
  // directory: empty for the user's ($HEDDLE_CACHE, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle);
  // "none": remembers nothing. A cache that cannot be written is no error: it costs time only.
  explicit AloneCache(const std::string& directory);

  // Empty, and then nothing is remembered, for a trace.
  static std::string key(const Experiment& experiment, std::size_t application);
  std::optional<std::uint64_t> find(const std::string& key) const;
  void store(const std::string& key, std::uint64_t turnaround_ps) const;

 private:
  std::string directory_;
};

}  // namespace heddle
