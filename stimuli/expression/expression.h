#pragma once
// This file has the arithmetic of launch files and of applications, in the grammar of
// models/core/expression/expression_reader.h: + - * / %, comparisons (1 or 0), parentheses, min(a, b),
// max(a, b), and ceil(a, b), which is a / b rounded up. Numbers are reals and
// integers of 64 bits; an integer overflow is an error. For two integers, / and % are those of C. Literals
// are 17, 0xff, 1.5e-3 and 4KiB. Names are those of parameters, variables and words of buffers (go_on[0]).

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stimuli/expression/element_type.h"

namespace heddle {

struct BufferWord {
  std::uint32_t buffer = 0;
  std::uint64_t index = 0;
};

// A Scope has the names that expressions may use.
struct Scope {
  struct Buffer {
    std::string name;
    std::uint64_t count = 0;  // the number of its elements
  };
  std::map<std::string, Number> constants;
  std::vector<std::string> variables;
  std::vector<Buffer> buffers;  // buffers whose words may be named
  bool has_times = false;       // literals may have a unit of time, as in 1.5us, and are picoseconds then

  std::vector<std::string> names() const;  // all constants, variables and buffers
};

// An Environment has the present values of variables and words.
struct Environment {
  const std::vector<Number>& variables;
  const std::function<Number(BufferWord)>& word;
};

class Expression {
 public:
  Expression() = default;  // the constant 0
  // Throws NumberError if the text is malformed, contains an unknown name, or cannot be computed.
  static Expression parse(const std::string& text, const Scope& scope);

  const std::string& text() const { return text_; }
  bool is_constant() const;
  bool has_variables() const;
  bool is_word() const { return nodes_.size() == 1 && nodes_.front().kind == Kind::kWord; }
  std::vector<BufferWord> words() const;  // the words that it reads, in order

  // Throws NumberError unless the value is a time: a time times a number, or a sum of such. A number and a
  // time are not added or compared, except that a bare 0 stands for both.
  void check_is_time() const;

  // These functions throw NumberError on a division by zero and on an overflow.
  Number evaluate(const Environment& environment) const;
  Number constant() const;  // is_constant() must hold

 private:
  friend class ExpressionParser;
  enum class Kind : std::uint8_t { kNumber, kVariable, kWord, kOperator };
  struct Node {
    Kind kind = Kind::kNumber;
    Operator op{};  // kOperator
    Number number;
    BufferWord word;       // kWord; kVariable: word.buffer is the number of the variable
    bool is_time = false;  // kNumber: it had a unit of time
  };

  std::string text_ = "0";
  std::vector<Node> nodes_{Node{}};  // in postfix order
};

// Returns the number as an integer. Throws NumberError if it is no integer from `least` to `most`.
std::int64_t whole_within(const Number& number, std::int64_t least, std::int64_t most);

// Returns the parts of the text between commas outside of parentheses, without the spaces around them: "a"
// and "f(b, c)" for "a, f(b, c)".
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace heddle
