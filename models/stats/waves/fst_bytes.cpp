#include "models/stats/waves/fst_bytes.h"

namespace heddle {

void append_u64(std::string& bytes, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void append_signed_varint(std::string& bytes, std::int64_t value) {
  // The last byte holds the sign in its bit 6.
  for (; value < -0x40 || value >= 0x40; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value & 0x7f);
}

}  // namespace heddle
