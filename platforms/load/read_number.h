#pragma once
// Numbers of a platform that its readers share.

#include <cstdint>

#include "models/core/config/config.h"

namespace heddle {

// The integer at `key`, which lies in least .. most; both fit an unsigned number of 32 bits.
inline std::uint32_t number(const config::Section& section, const config::Key& key, std::int64_t least,
                            std::int64_t most) {
  return static_cast<std::uint32_t>(section.integer(key, {least, most}));
}

// The size at `key`, which lies in least .. most bytes; both fit an unsigned number of 32 bits.
inline std::uint32_t size(const config::Section& section, const config::Key& key, std::int64_t least,
                          std::int64_t most) {
  return static_cast<std::uint32_t>(section.bytes(key, {least, most}));
}

// The cycles at `key`, which lie in least .. most; both fit an unsigned number of 32 bits.
inline std::uint32_t short_cycles(const config::Section& section, const config::Key& key, std::int64_t least,
                                  std::int64_t most) {
  return static_cast<std::uint32_t>(section.cycles(key, {least, most}));
}

inline bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace heddle
