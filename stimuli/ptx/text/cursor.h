#pragma once
// The position in the text, which advances token by token, with the helpers that all readers share.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/ptx/text/constant.h"
#include "stimuli/ptx/text/lexer.h"
#include "stimuli/ptx/text/problems.h"

namespace heddle::ptx {

// A token that is expected and not found is refused as by Problems::refuse().
class Cursor {
 public:
  Cursor(std::string_view text, const std::string& file);
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  Problems& problems() { return problems_; }
  ConstantReader& constants() { return constants_; }
  [[noreturn]] void refuse(Place place, std::string message) { problems_.refuse(place, std::move(message)); }
  // Refuses an unknown word and names the nearest known one.
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
  // Reads a literal or a constant expression.
  std::uint64_t integer(std::string_view what, std::uint64_t most);
  std::uint64_t literal(std::string_view what, std::uint64_t most);

  // skip_statement() advances past the ';' or the body of the statement that begin_statement() began, or up
  // to the '}' that encloses it.
  void begin_statement() { braces_ = 0; }
  void skip_statement();
  // Skips from '{' to after its '}'.
  void skip_block();

 private:
  Problems problems_;
  Lexer lexer_;
  ConstantReader constants_;
  std::int64_t braces_ = 0;  // braces that the statement has opened and not closed
};

// Returns the token in quotes for a message.
std::string shown(const Token& token);

}  // namespace heddle::ptx
