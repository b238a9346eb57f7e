#pragma once
// The numbers of expressions, and what operators make of them.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "models/core/expression/expression_reader.h"

namespace heddle {

using Number = std::variant<std::int64_t, double>;

inline bool is_whole(const Number& number) {
  return number.index() == 0;
}
double real_of(const Number& number);
std::string text_of(const Number& number);  // "17", "0.5"

// A NumberError reports an impossible computation or value. Its message has the reason, and no place.
class NumberError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the result of an operator of two operands. For two integers, / and % are those of C; an integer
// overflow, a real that is not finite and a division by zero throw NumberError. A comparison is 1 or 0.
Number apply(Operator op, const Number& left, const Number& right);
Number negated(const Number& number);

// Returns the result of an operator of two reals, or nothing for a division by zero. `op` is no function, and
// it is not kRemainder, because reals have no remainder here.
std::optional<double> apply_to_reals(Operator op, double left, double right);

}  // namespace heddle
