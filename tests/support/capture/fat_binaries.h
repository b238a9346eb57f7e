#pragma once
// Fat binaries in the format that compilers write.

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace heddle {

enum class Packing : std::uint64_t { kPlain = 0, kLz4 = 0x2000, kZstd = 0x8000 };

inline std::string packed(const std::string& text, Packing packing) {
  if (packing == Packing::kPlain) return text;
  std::string result(text.size() + 1000, '\0');
  if (packing == Packing::kLz4) {
    const int got = LZ4_compress_default(text.data(), result.data(), static_cast<int>(text.size()),
                                         static_cast<int>(result.size()));
    result.resize(static_cast<std::size_t>(got));
  } else {
    result.resize(ZSTD_compress(result.data(), result.size(), text.data(), text.size(), 3));
  }
  return result;
}

template <typename T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Returns one entry of a fat binary. Kind 1 is PTX and kind 2 is machine code.
inline std::string fat_entry(std::uint16_t kind, std::uint32_t architecture, const std::string& text,
                             Packing packing) {
  const std::string payload = packed(text, packing);
  const std::size_t padded = (payload.size() + 7) / 8 * 8;
  std::string entry(80 + padded, '\0');
  put(entry, 0, kind);
  put(entry, 2, std::uint16_t{0x101});
  put(entry, 4, std::uint32_t{80});
  put(entry, 8, std::uint64_t{padded});
  put(entry, 28, architecture);
  put(entry, 40, static_cast<std::uint64_t>(packing) | 0x11U);
  if (packing != Packing::kPlain) {
    put(entry, 16, static_cast<std::uint32_t>(payload.size()));
    put(entry, 56, std::uint64_t{text.size()});
  }
  std::memcpy(entry.data() + 80, payload.data(), payload.size());
  return entry;
}

inline std::string fat_binary(const std::string& entries) {
  std::string header(16, '\0');
  put(header, 0, std::uint32_t{0xBA55ED50});
  put(header, 4, std::uint16_t{1});
  put(header, 6, std::uint16_t{16});
  put(header, 8, std::uint64_t{entries.size()});
  return header + entries;
}

}  // namespace heddle
