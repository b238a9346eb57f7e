#include "stimuli/ptx/text/cursor.h"

#include <fmt/format.h>

#include "models/core/config/config_names.h"
#include "models/core/config/config_units.h"

namespace heddle::ptx {

std::string shown(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  return fmt::format("'{}{}'", token.kind == TokenKind::kDotted ? "." : "",
                     config::detail::shown(token.text));
}

Cursor::Cursor(std::string_view text, const std::string& file)
    : problems_(file, text), lexer_(text, problems_), constants_(lexer_, problems_) {}

void Cursor::refuse_unknown(const Token& token, std::string_view what,
                            const std::vector<std::string>& known) {
  refuse(token.place,
         fmt::format("unknown {} {}{}", what, shown(token), config::suggestion(token.text, known)));
}

void Cursor::refuse_unexpected(std::string_view expected) {
  refuse(peek().place, fmt::format("expected {}, found {}", expected, shown(peek())));
}

Token Cursor::take() {
  if (at('{')) ++braces_;
  if (at('}')) --braces_;
  return lexer_.take();
}

bool Cursor::accept(char sign) {
  if (!at(sign)) return false;
  take();
  return true;
}

bool Cursor::accept_dotted(std::string_view word) {
  if (!peek().is_dotted(word)) return false;
  take();
  return true;
}

void Cursor::expect(char sign) {
  if (!accept(sign)) refuse_unexpected(fmt::format("'{}'", sign));
}

Token Cursor::expect(TokenKind kind, std::string_view what) {
  if (peek().kind != kind) refuse_unexpected(what);
  return take();
}

std::uint64_t Cursor::integer(std::string_view what, std::uint64_t most) {
  if (!constants_.starts()) refuse_unexpected(what);
  const Constant constant = constants_.expression();
  const bool negative = !constant.is_unsigned && static_cast<std::int64_t>(constant.value) < 0;
  if (constant.kind != Constant::Kind::kInteger || negative || constant.value > most)
    refuse(constant.place, fmt::format("expected {}, at most {}", what, most));
  return constant.value;
}

std::uint64_t Cursor::literal(std::string_view what, std::uint64_t most) {
  const Token token = expect(TokenKind::kInteger, what);
  if (token.value > most) refuse(token.place, fmt::format("expected {}, at most {}", what, most));
  return token.value;
}

void Cursor::skip_statement() {
  while (!at_end()) {
    if (at('}') && braces_ <= 0) return;
    const Token token = take();
    if (braces_ > 0) continue;
    if (token.is(';')) return;
    if (token.is('}') && peek().kind == TokenKind::kDotted) return;  // the '}' ended a body
  }
}

void Cursor::skip_block() {
  std::int64_t depth = 0;
  do {
    const Token token = take();
    if (token.kind == TokenKind::kEnd) refuse(token.place, "a '{' without its '}'");
    if (token.is('{')) ++depth;
    if (token.is('}')) --depth;
  } while (depth > 0);
}

}  // namespace heddle::ptx
