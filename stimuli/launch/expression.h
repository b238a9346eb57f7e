#pragma once
// Arithmetic in launch files: + - * / %, comparisons (1 or 0), parentheses, min(a, b), max(a, b), ceil(a, b):
// a / b rounded up. Integers of 64 bits, which never wrap, and reals; of two integers / and % are those of C.
// Literals: 17, 0xff, 1.5e-3, 4KiB. Names: parameters, variables, words of buffers: go_on[0].

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stimuli/launch/number.h"

namespace heddle {

struct BufferWord {
  std::uint32_t buffer = 0;
  std::uint64_t index = 0;
};

// What names stand for.
struct Scope {
  struct Buffer {
    std::string name;
    std::uint64_t count = 0;  // of its elements
  };
  std::map<std::string, Number> constants;
  std::vector<std::string> variables;
  std::vector<Buffer> buffers;  // whose words may be named

  std::vector<std::string> names() const;  // all of them
};

// What they are worth now.
struct Environment {
  const std::vector<Number>& variables;
  const std::function<Number(BufferWord)>& word;
};

class Expression {
 public:
  Expression() = default;  // 0
  // Throws NumberError: the text is malformed, names what is not known, or cannot be computed.
  static Expression parse(const std::string& text, const Scope& scope);

  const std::string& text() const { return text_; }
  bool is_constant() const;
  bool has_variables() const;
  bool is_word() const { return nodes_.size() == 1 && nodes_.front().step == Step::kWord; }
  std::vector<BufferWord> words() const;  // that it reads, in order

  // Throw NumberError: division by zero, an overflow.
  Number evaluate(const Environment& environment) const;
  Number constant() const;  // of one that is

 private:
  friend class ExpressionParser;
  enum class Step : std::uint8_t {
    kNumber,
    kVariable,
    kWord,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kEqual,
    kNotEqual,
    kMin,
    kMax,
    kCeil,
  };
  struct Node {  // in postfix order
    Step step = Step::kNumber;
    Number number;
    BufferWord word;  // of a variable: its number is word.buffer
  };
  static Number apply(Step step, const Number& a, const Number& b);

  std::string text_ = "0";
  std::vector<Node> nodes_{Node{}};
};

// A whole number of least to most; else NumberError.
std::int64_t whole_within(const Number& number, std::int64_t least, std::int64_t most);

// The parts of "a, f(b, c)" between commas outside of parentheses, without spaces around them.
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace heddle
