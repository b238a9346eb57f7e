#pragma once
// Operands as the text states them, before they are checked against a form.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/text/cursor.h"

namespace heddle::ptx {

struct RawOperand {
  enum class Kind : std::uint8_t {
    kName,     // a name, possibly with an offset as in sym+4
    kNumber,   // `constant`
    kVector,   // `count` elements from index `first` of RawOperands::elements
    kAddress,  // [name], [name+4] or [4]; `name` is empty in [4]
    kHandle,   // "[name, coordinates]"; the coordinates are the next operand
  };

  Kind kind = Kind::kName;
  Place place;
  Token name;
  std::string_view component;  // x of %tid.x
  bool negated = false;        // !p
  bool joined = false;         // follows a '|'
  bool has_offset = false;
  Constant constant;  // the number, or the offset
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct RawOperands {
  static constexpr std::size_t kMostElements = 128;

  std::vector<RawOperand> all;
  std::vector<RawOperand> elements;  // elements of all vectors

  void clear() {
    all.clear();
    elements.clear();
  }
};

class RawReader {
 public:
  explicit RawReader(Cursor& cursor) : cursor_(cursor) {}

  // Reads operands up to the ';', which it does not take.
  void read_list(RawOperands& operands);
  // Reads a name or a number.
  RawOperand read_simple();

 private:
  void read_one(RawOperands& operands, bool joined);
  RawOperand read_vector(RawOperands& operands);
  RawOperand read_address();
  void read_offset(RawOperand& operand);

  Cursor& cursor_;
};

}  // namespace heddle::ptx
