#pragma once
// Tests whose full size is for scripts/soak look here; scripts/test names the files that do.

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace heddle {

inline bool full_size() {
  const char* size = std::getenv("HEDDLE_TEST_SIZE");
  return size != nullptr && std::string_view(size) == "full";
}

// How many random cases a property test runs: ten times as many at full size.
inline std::uint64_t cases(std::uint64_t count) {
  return full_size() ? 10 * count : count;
}

}  // namespace heddle
