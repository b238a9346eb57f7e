#pragma once
// The grammar of the arithmetic in Heddle's files. Launch files and applications (stimuli/expression), maps
// of correlation (platforms/correlate) and timing formulas of DRAM standards (models/dram/standards) share
// it:
//
//   comparison = sum [ ("<=" | ">=" | "==" | "!=" | "<" | ">") sum ]
//   sum        = product { ("+" | "-") product }
//   product    = factor { ("*" | "/" | "%") factor }
//   factor     = "-" factor | "(" comparison ")" | operand
//
// A language is a class that derives from ExpressionReader. It reads its own operands (numbers, names,
// calls), and says which operators it has and how its errors read. It is given the operators in postfix
// order, so that it can evaluate at once, keep the order, or build a tree.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace heddle {

enum class Operator : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kNegate,  // of one operand; all others have two
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kEqual,
  kNotEqual,
  // Functions, which a language reads itself.
  kMin,
  kMax,
  kCeil,  // the quotient, rounded up
};
bool is_comparison(Operator op);

class ExpressionReader {
 public:
  virtual ~ExpressionReader() = default;
  ExpressionReader(const ExpressionReader&) = delete;
  ExpressionReader& operator=(const ExpressionReader&) = delete;

 protected:
  // A factor stands within at most `most_depth` - 1 others.
  ExpressionReader(std::string_view text, std::size_t most_depth) : text_(text), most_depth_(most_depth) {}

  void read_all();  // the whole text is one comparison
  void comparison();

  // ---- what a language says. A place is an index of the text; that of an operator is its first character.
  virtual bool has(Operator) const { return true; }
  virtual void check_place(Operator, std::size_t) const {}  // may refuse an operator where it stands
  // Reads the operand at the present place, where no blank stands. Returns false if there is none.
  virtual bool operand() = 0;
  // The last operand, or the last two, are those of this operator.
  virtual void push(Operator op, std::size_t place) = 0;
  enum class Wanted : std::uint8_t { kOperand, kOperator, kSign };
  // Throws: what is wanted does not stand at the present place. `sign` is the one of kSign, as in ")".
  [[noreturn]] virtual void refuse_next(Wanted wanted, std::string_view sign) const = 0;
  [[noreturn]] virtual void refuse_depth() const = 0;  // throws: the text is nested too deep

  // ---- the text, for operands
  std::string_view text() const { return text_; }
  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  char next() const { return text_[at_]; }  // unless at_end()
  void move_to(std::size_t place) { at_ = place; }
  void skip_blanks();
  bool take(std::string_view sign);  // skips blanks, and the sign if it is next; returns whether it was
  void expect(std::string_view sign);

 private:
  void sum();
  void product();
  void factor();
  // An operator of the language that stood at the present place, if one did.
  struct Found {
    bool is_found = false;
    Operator op{};
    std::size_t place = 0;
    explicit operator bool() const { return is_found; }
  };
  using Sign = std::pair<std::string_view, Operator>;
  template <std::size_t kSigns>
  Found take_one(const Sign (&signs)[kSigns]);

  const std::string_view text_;
  const std::size_t most_depth_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace heddle
