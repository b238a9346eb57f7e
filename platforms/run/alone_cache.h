#pragma once
// What applications alone have done, kept between runs under the hash of everything they depend on: the
// machine as resolved and the program that simulates it.

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/experiment/experiment.h"

namespace heddle {

struct AloneRun {
  std::uint64_t turnaround_ps = 0;
  std::uint64_t warp_instructions = 0;  // issued by its end; none on timed SMs
};

class AloneCache {
 public:
  // directory: empty for the user's ($HEDDLE_CACHE, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle);
  // "none": remembers nothing. A cache that cannot be written is no error: it costs time only.
  explicit AloneCache(const std::string& directory);

  // Empty, and then nothing is remembered, for a trace.
  static std::string key(const Experiment& experiment, std::size_t application);
  std::optional<AloneRun> find(const std::string& key) const;
  void store(const std::string& key, const AloneRun& run) const;

 private:
  std::string directory_;
};

}  // namespace heddle
