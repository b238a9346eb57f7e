#pragma once
// A place in the text that moves on token by token, with what every part of the reader needs to read there.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/ptx/text/constant.h"
#include "stimuli/ptx/text/lexer.h"
#include "stimuli/ptx/text/problems.h"

namespace heddle::ptx {

// What is expected and not found is refused: see Problems::refuse().
class Cursor {
 public:
  Cursor(std::string_view text, const std::string& file);
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  Problems& problems() { return problems_; }
  ConstantReader& constants() { return constants_; }
  [[noreturn]] void refuse(Place place, std::string message) { problems_.refuse(place, std::move(message)); }
  // Of a word that is none of the known ones: tells the nearest of them.
  [[noreturn]] void refuse_unknown(const Token& token, std::string_view what,
                                   const std::vector<std::string>& known);
  [[noreturn]] void refuse_unexpected(std::string_view expected);

  const Token& peek(std::size_t ahead = 0) const { return lexer_.peek(ahead); }
  bool at(char sign) const { return peek().is(sign); }
  bool at_end() const { return peek().kind == TokenKind::kEnd || problems_.full(); }
  Token take();
  bool accept(char sign);
  bool accept_dotted(std::string_view word);
  void expect(char sign);
  Token expect(TokenKind kind, std::string_view what);
  std::uint64_t integer(std::string_view what, std::uint64_t most);  // a literal, or an expression
  std::uint64_t literal(std::string_view what, std::uint64_t most);

  // Statements: skip_statement() goes behind the ';' or the body of the one that began, or before
  // the '}' around it.
  void begin_statement() { braces_ = 0; }
  void skip_statement();
  void skip_block();  // from '{' to behind its '}'

 private:
  Problems problems_;
  Lexer lexer_;
  ConstantReader constants_;
  std::int64_t braces_ = 0;  // opened and not closed by the statement
};

std::string shown(const Token& token);  // as a message shows it, in quotes

}  // namespace heddle::ptx
