#pragma once
// Splits PTX text into tokens. Comments and lines that start with '#' are skipped.

#include <array>
#include <cstdint>
#include <string_view>

#include "stimuli/ptx/text/problems.h"

namespace heddle::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,     // an opcode, a register with its '%', a label or a symbol
  kDotted,   // ".word" with `text` without the dot; "::" is part of the word
  kInteger,  // `value`
  kSingle,   // 0f: `value` holds 32 bits
  kDouble,   // 0d, or a decimal point: `value` holds 64 bits
  kString,   // `text` is the text between the quotes
  kSign,     // one or two characters
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool unsigned_suffix = false;  // 1U
  Place place;
  std::string_view text;
  std::uint64_t value = 0;

  bool is(char sign) const { return kind == TokenKind::kSign && text.size() == 1 && text[0] == sign; }
  bool is_sign(std::string_view sign) const { return kind == TokenKind::kSign && text == sign; }
  bool is_dotted(std::string_view word) const { return kind == TokenKind::kDotted && text == word; }
};

// The text must outlive its tokens. The lexer reports text that is no token as a problem and skips it.
class Lexer {
 public:
  Lexer(std::string_view text, Problems& problems);

  const Token& peek(std::size_t ahead = 0) const { return ahead_[ahead]; }  // 0 or 1
  Token take();

 private:
  Token next();
  Token token(TokenKind kind, std::size_t bytes);
  Token number();
  Token hexadecimal_float(char kind);
  Token decimal_float(std::size_t bytes);
  Token integer(std::size_t prefix, std::uint32_t base);
  Token string();
  // Returns false at the end of the text.
  bool skip_blank();
  void skip_comment();
  void skip_line();
  std::size_t word_end(std::size_t from) const;
  char at(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Place place_at(std::size_t position) const;

  std::string_view text_;
  Problems& problems_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::array<Token, 2> ahead_;
};

bool is_digit(char c);  // a decimal one

}  // namespace heddle::ptx
