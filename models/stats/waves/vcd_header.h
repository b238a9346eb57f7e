#pragma once
// The declarations at the start of a value change dump (VCD, IEEE 1364): the unit of time, and the variables
// in their scopes. Memory is proportional to the length of the declarations.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle {

// Whether a character separates the words of a dump.
inline bool is_vcd_blank(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

// The identifier code of a value: one to eight printable characters, packed into a number.
using VcdCode = std::uint64_t;

// Returns the packed code, or 0 if the text is no code of one to eight characters.
VcdCode pack_code(std::string_view text);

// What changes. Several variables with one code (a port and the wire at it) share a value.
struct VcdValue {
  enum class Kind : std::uint8_t { kBits, kReal, kText };

  Kind kind = Kind::kBits;
  unsigned width = 1;  // in bits
};

// The declared range of a vector, as in [31:0]. A variable without one has [width-1:0].
struct VcdRange {
  std::int64_t left = 0, right = 0;
};

struct VcdVariable {
  std::string_view name;    // in the text of the file
  std::uint32_t scope = 0;  // an index of VcdHeader::scopes
  std::uint32_t value = 0;  // an index of VcdHeader::values
  VcdRange range;
};

struct VcdScope {
  std::string_view name;  // empty for the root
  std::uint32_t parent = 0;
};

struct VcdHeader {
  std::uint64_t time_unit_fs = 0;  // femtoseconds in a unit of time
  std::vector<VcdScope> scopes;    // the first one is the root, its own parent
  std::vector<VcdVariable> variables;
  std::vector<VcdValue> values;
  std::unordered_map<VcdCode, std::uint32_t> codes;  // to an index of `values`
  std::size_t body = 0;                              // the position behind the declarations

  std::string name_of(const VcdVariable& variable) const;  // with its scopes: top.core0.count
  // Returns the index of the first variable with this name.
  std::optional<std::size_t> find(std::string_view name) const;
};

// Reads the declarations of a whole file, whose text must outlive the result. Throws WaveFileError with the
// file and the position of the byte.
VcdHeader read_vcd_header(std::string_view text, const std::string& file);

// Throws the WaveFileError of a file that is damaged at a byte, counted from 0.
[[noreturn]] void fail_at_byte(const std::string& file, std::size_t byte, const std::string& message);

// Returns a part of a damaged file for a message: short, and on one line.
std::string shown_text(std::string_view text);

}  // namespace heddle
