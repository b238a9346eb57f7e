#pragma once
// The size of tests. scripts/soak runs tests at full size, and scripts/test lists the files that include this
// header.

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace heddle {

inline bool full_size() {
  const char* size = std::getenv("HEDDLE_TEST_SIZE");
  return size != nullptr && std::string_view(size) == "full";
}

// Returns the number of random cases of a property test: `count`, or ten times as many at full size.
inline std::uint64_t cases(std::uint64_t count) {
  return full_size() ? 10 * count : count;
}

}  // namespace heddle
