#pragma once
// Operands as they are written, before it is known what they have to be.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/text/cursor.h"

namespace heddle::ptx {

struct RawOperand {
  enum class Kind : std::uint8_t {
    kName,     // also with an offset: sym+4
    kNumber,   // `constant`
    kVector,   // `count` elements from `first` on
    kAddress,  // [name], [name+4], [4]: `name` has no text in the last
    kHandle,   // of "[name, coordinates]"; the coordinates follow as an operand of their own
  };

  Kind kind = Kind::kName;
  Place place;
  Token name;
  std::string_view component;  // x of %tid.x
  bool negated = false;        // !p
  bool joined = false;         // behind a '|'
  bool has_offset = false;
  Constant constant;  // the number, or the offset
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct RawOperands {
  static constexpr std::size_t kMostElements = 8;

  std::vector<RawOperand> all;
  std::vector<RawOperand> elements;  // of vectors

  void clear() {
    all.clear();
    elements.clear();
  }
};

class RawReader {
 public:
  explicit RawReader(Cursor& cursor) : cursor_(cursor) {}

  void read_list(RawOperands& operands);  // up to the ';', which is left
  RawOperand read_simple();               // a name or a number

 private:
  void read_one(RawOperands& operands, bool joined);
  RawOperand read_vector(RawOperands& operands);
  RawOperand read_address();
  void read_offset(RawOperand& operand);

  Cursor& cursor_;
};

}  // namespace heddle::ptx
