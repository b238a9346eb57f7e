#pragma once
// Getters for numbers of 32 bits that several readers of a platform use.

#include <cstdint>

#include "models/core/config/config.h"

namespace heddle {

// Returns the integer at `key`. The range is least .. most; both fit an unsigned number of 32 bits.
inline std::uint32_t number(const config::Section& section, const config::Key& key, std::int64_t least,
                            std::int64_t most) {
  return static_cast<std::uint32_t>(section.integer(key, {least, most}));
}

inline std::uint32_t number(const config::Section& section, const config::Key& key, std::int64_t least,
                            std::int64_t most, std::int64_t fallback) {
  return static_cast<std::uint32_t>(section.integer(key, {least, most}, fallback));
}

// Returns the size at `key` in bytes. The range is least .. most; both fit an unsigned number of 32 bits.
inline std::uint32_t size(const config::Section& section, const config::Key& key, std::int64_t least,
                          std::int64_t most) {
  return static_cast<std::uint32_t>(section.bytes(key, {least, most}));
}

// Returns the cycles at `key`. The range is least .. most; both fit an unsigned number of 32 bits.
inline std::uint32_t short_cycles(const config::Section& section, const config::Key& key, std::int64_t least,
                                  std::int64_t most) {
  return static_cast<std::uint32_t>(section.cycles(key, {least, most}));
}

inline std::uint32_t short_cycles(const config::Section& section, const config::Key& key, std::int64_t least,
                                  std::int64_t most, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(section.cycles(key, {least, most}, fallback));
}

inline bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace heddle
