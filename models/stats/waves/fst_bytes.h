#pragma once
// The encodings of numbers in GTKWave's FST format. Each function appends to a string of bytes.

#include <cstdint>
#include <string>

namespace heddle {

void append_u64(std::string& bytes, std::uint64_t value);           // the most significant byte first
void append_varint(std::string& bytes, std::uint64_t value);        // LEB128
void append_signed_varint(std::string& bytes, std::int64_t value);  // signed LEB128

}  // namespace heddle
