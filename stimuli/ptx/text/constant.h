#pragma once
// Numbers as PTX writes them: literals and constant expressions over them.

#include <cstdint>

#include "stimuli/ptx/text/lexer.h"
#include "stimuli/ptx/text/type.h"

namespace heddle::ptx {

struct Constant {
  enum class Kind : std::uint8_t { kInteger, kSingle, kDouble };

  Kind kind = Kind::kInteger;
  bool is_unsigned = false;  // else `value` is a signed number of 64 bits
  Place place;
  std::uint64_t value = 0;  // bits: 64, of kSingle 32
};

class ConstantReader {
 public:
  ConstantReader(Lexer& lexer, Problems& problems) : lexer_(lexer), problems_(problems) {}

  bool starts() const;    // whether the next token may begin a number
  Constant expression();  // throws Refused

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

// The constant's bits as a value of the type, integers narrower than 64 bits extended by the type's sign.
// Refuses one that does not fit, and integers for floating point.
std::uint64_t bits_as(Type type, const Constant& constant, Problems& problems);

}  // namespace heddle::ptx
