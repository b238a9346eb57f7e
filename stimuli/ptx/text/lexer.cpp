#include "stimuli/ptx/text/lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <system_error>

#include "models/core/config/config_units.h"

namespace heddle::ptx {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

bool is_name_start(char c) {
  return (is_word(c) && !is_digit(c)) || c == '%';
}

int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Lexer::Lexer(std::string_view text, Problems& problems) : text_(text), problems_(problems) {
  ahead_[0] = next();
  ahead_[1] = next();
}

Token Lexer::take() {
  const Token first = ahead_[0];
  ahead_[0] = ahead_[1];
  ahead_[1] = next();
  return first;
}

Place Lexer::place_at(std::size_t position) const {
  return {line_, static_cast<std::uint32_t>(position - line_start_ + 1)};
}

void Lexer::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

void Lexer::skip_comment() {
  const Place start = place_at(at_);
  for (at_ += 2; at_ < text_.size(); ++at_) {
    if (text_[at_] == '*' && at(1) == '/') {
      at_ += 2;
      return;
    }
    if (text_[at_] != '\n') continue;
    ++line_;
    line_start_ = at_ + 1;
  }
  problems_.add(start, "a comment without end");
}

bool Lexer::skip_blank() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && at(1) == '/') {
      skip_line();
    } else if (c == '/' && at(1) == '*') {
      skip_comment();
    } else if (c == '#' && at_ == line_start_) {
      skip_line();
    } else if (c == '\0' && at_ + 1 == text_.size()) {
      ++at_;  // images of nvcc end in a zero byte
    } else {
      return true;
    }
  }
  return false;
}

Token Lexer::token(TokenKind kind, std::size_t bytes) {
  Token made;
  made.kind = kind;
  made.place = place_at(at_);
  made.text = text_.substr(at_, bytes);
  at_ += made.text.size();
  return made;
}

std::size_t Lexer::word_end(std::size_t from) const {
  while (from < text_.size() && is_word(text_[from])) ++from;
  return from;
}

Token Lexer::next() {
  while (skip_blank()) {
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (c == '"') return string();
    if (is_name_start(c)) return token(TokenKind::kName, word_end(at_ + 1) - at_);
    if (c == '.' && is_word(at(1))) {
      std::size_t end = word_end(at_ + 1);
      while (text_.substr(end, 2) == "::" && end + 2 < text_.size() && is_word(text_[end + 2]))
        end = word_end(end + 2);
      Token made = token(TokenKind::kDotted, end - at_);
      made.text.remove_prefix(1);
      return made;
    }
    const std::string_view two = text_.substr(at_, 2);
    for (const char* sign : {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"})
      if (two == sign) return token(TokenKind::kSign, 2);
    if (std::strchr("()[]{}<>,;:+-*/%&|^~!?=@", c) != nullptr && c != '\0') return token(TokenKind::kSign, 1);
    problems_.add(place_at(at_), fmt::format("unexpected character '{}'", config::detail::shown({&c, 1})));
    ++at_;
    if (problems_.full()) at_ = text_.size();
  }
  return token(TokenKind::kEnd, 0);
}

Token Lexer::string() {
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') problems_.add(place_at(at_), "a string without end");
  Token made = token(TokenKind::kString, end + 1 - at_);
  made.text.remove_prefix(1);
  if (!made.text.empty()) made.text.remove_suffix(1);
  return made;
}

Token Lexer::number() {
  if (at(0) == '0') {
    const char kind = at(1);
    if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') return hexadecimal_float(kind);
    if (kind == 'x' || kind == 'X') return integer(2, 16);
    if (kind == 'b' || kind == 'B') return integer(2, 2);
  }
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  const bool point = end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
  const bool exponent = end < text_.size() && (text_[end] == 'e' || text_[end] == 'E');
  if (!point && !exponent) return integer(0, at(0) == '0' ? 8 : 10);
  if (point) end = word_end(end + 1);
  if (exponent) end = word_end(end);
  const char last = text_[end - 1];
  if ((last == 'e' || last == 'E') && end + 1 < text_.size() && (text_[end] == '-' || text_[end] == '+'))
    end = word_end(end + 1);
  return decimal_float(end - at_);
}

Token Lexer::decimal_float(std::size_t bytes) {
  Token made = token(TokenKind::kDouble, bytes);
  double value = 0;
  const char* end = made.text.data() + made.text.size();
  const auto [stop, error] = std::from_chars(made.text.data(), end, value);
  if (stop != end || error != std::errc{})
    problems_.add(made.place, fmt::format("'{}' is no number", config::detail::shown(made.text)));
  std::memcpy(&made.value, &value, sizeof value);
  return made;
}

Token Lexer::hexadecimal_float(char kind) {
  const bool single = kind == 'f' || kind == 'F';
  Token made = token(single ? TokenKind::kSingle : TokenKind::kDouble, word_end(at_) - at_);
  const std::string_view digits = made.text.substr(2);
  bool good = digits.size() == (single ? 8U : 16U);
  for (const char c : digits) {
    good = good && digit_of(c) < 16;
    made.value = made.value << 4U | static_cast<std::uint64_t>(digit_of(c) & 15);
  }
  if (!good)
    problems_.add(made.place,
                  fmt::format("'{}' is no number: {} takes {} hexadecimal digits",
                              config::detail::shown(made.text), made.text.substr(0, 2), single ? 8 : 16));
  return made;
}

Token Lexer::integer(std::size_t prefix, std::uint32_t base) {
  Token made = token(TokenKind::kInteger, word_end(at_) - at_);
  std::string_view digits = made.text.substr(prefix);
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) {
    made.unsigned_suffix = true;
    digits.remove_suffix(1);
  }
  bool good = !digits.empty();
  bool fits = true;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint32_t>(digit_of(c));
    good = good && digit < base;
    fits = fits && made.value <= (~std::uint64_t{0} - digit) / base;
    made.value = made.value * base + digit;
  }
  if (!good || !fits)
    problems_.add(made.place, fmt::format(good ? "'{}' does not fit in 64 bits" : "'{}' is no number",
                                          config::detail::shown(made.text)));
  return made;
}

}  // namespace heddle::ptx
