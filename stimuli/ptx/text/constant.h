#pragma once
// Reads literals and constant expressions.

#include <cstdint>

#include "stimuli/ptx/statements/type.h"
#include "stimuli/ptx/text/lexer.h"

namespace heddle::ptx {

struct Constant {
  enum class Kind : std::uint8_t { kInteger, kSingle, kDouble };

  Kind kind = Kind::kInteger;
  bool is_unsigned = false;  // false: `value` is a signed number of 64 bits
  Place place;
  std::uint64_t value = 0;  // 64 bits; kSingle: 32 bits
};

class ConstantReader {
 public:
  ConstantReader(Lexer& lexer, Problems& problems) : lexer_(lexer), problems_(problems) {}

  // Whether the next token may begin a number.
  bool starts() const;
  // Throws Refused.
  Constant expression();

 private:
  struct Binary;
  static const Binary* binary_at(const Token& token);

  Constant conditional();
  Constant binary(int least_priority);
  Constant unary();
  Constant parenthesised();
  Constant combine(const Binary& operation, const Constant& left, const Constant& right);

  Lexer& lexer_;
  Problems& problems_;
  int depth_ = 0;
};

// Returns the constant's bits as a value of the type. Integers of PTX have 64 bits and are converted to the
// size of the type, so their upper bits are dropped (PTX ISA, "Integer Constants"); the result is extended to
// 64 bits by the sign of its type. Refuses a constant of another kind, such as an integer for a
// floating-point type.
std::uint64_t bits_as(Type type, const Constant& constant, Problems& problems);

}  // namespace heddle::ptx
