#pragma once
// This file reads the fields of one line from left to right. The line ends in '\n'. A missing or wrong field
// is an error of the source of the line.

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "stimuli/traceg/text_source.h"

namespace heddle {

namespace detail {
constexpr std::array<std::int8_t, 256> hex_digits() {
  std::array<std::int8_t, 256> digits{};
  for (std::int8_t& digit : digits) digit = -1;
  for (int i = 0; i < 10; ++i) digits['0' + i] = static_cast<std::int8_t>(i);
  for (int i = 10; i < 16; ++i) digits['a' + i - 10] = digits['A' + i - 10] = static_cast<std::int8_t>(i);
  return digits;
}
inline constexpr std::array<std::int8_t, 256> kHexDigits = hex_digits();
}  // namespace detail

class LineScanner {
 public:
  LineScanner(const TextSource& source, const char* at) : source_(source), at_(at) {}

  static int hex_digit(char c) { return detail::kHexDigits[static_cast<unsigned char>(c)]; }  // -1 for others
  static bool is_hex_digit(char c) { return hex_digit(c) >= 0; }

  const char* at() const { return at_; }
  bool at_end() {
    skip_spaces();
    return *at_ == '\n';
  }

  // Each of these functions returns the next field. `what` describes the field in errors.
  std::uint64_t decimal(const char* what, std::uint64_t most) {
    skip_spaces();
    const char* start = at_;
    std::uint64_t value = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*at_) - unsigned{'0'}) <= 9; ++at_)
      value = value * 10 + digit;
    const auto digits = static_cast<std::size_t>(at_ - start);
    if (digits - 1 < kSafeDigits && at_separator() && value <= most) return value;
    at_ = start;
    return checked_decimal(what, most);
  }
  std::int64_t signed_decimal(const char* what) {  // -2^62 .. 2^62
    skip_spaces();
    const bool negative = *at_ == '-';
    const char* start = at_;
    if (negative) ++at_;
    if (*at_ < '0' || *at_ > '9') bad(what, start);
    const auto value = static_cast<std::int64_t>(decimal(what, std::uint64_t{1} << 62U));
    return negative ? -value : value;
  }

  // The digits may follow 0x. They have at most 64 bits.
  std::uint64_t hexadecimal(const char* what) {
    skip_spaces();
    const char* start = at_;
    if (at_[0] == '0' && at_[1] == 'x') at_ += 2;
    const char* digits = at_;
    std::uint64_t value = 0;
    for (int digit; (digit = hex_digit(*at_)) >= 0; ++at_)
      value = value << 4U | static_cast<std::uint64_t>(digit);
    if (at_ == digits || at_ - digits > 16 || !at_separator()) bad(what, start);
    return value;
  }

  // A HexStart has the first digits of the last number that was read, all but two, and their value. At first
  // it has digits with which no number begins.
  struct HexStart {
    std::array<char, 16> text{' '};
    std::uint64_t value = 0;
  };
  // Reads such a number, too. It takes little time if the number begins with the digits of `start`, as the
  // address of a lane mostly begins with the digits of the lane before.
  std::uint64_t hexadecimal(const char* what, HexStart& start) {
    skip_spaces();
    const char* number = at_;
    constexpr std::size_t kSame = sizeof start.text;
    if (std::memcmp(number, start.text.data(), kSame) == 0) {
      const int upper = hex_digit(number[kSame]);
      const int lower = hex_digit(number[kSame + 1]);
      at_ = number + kSame + 2;
      if ((upper | lower) >= 0 && at_separator())
        return start.value << 8U | static_cast<std::uint64_t>(upper << 4U | lower);
      at_ = number;
    }
    const std::uint64_t value = hexadecimal(what);
    if (at_ - number == kSame + 2 && number[1] == 'x') {
      std::memcpy(start.text.data(), number, kSame);
      start.value = value >> 8U;
    }
    return value;
  }

  // Reads hexadecimal numbers from the line as long as each of them follows a single space and begins with
  // the digits of `start`. The function reads at most `most` numbers, stores them in `values`, and returns
  // the number of numbers that it has read.
  std::size_t hexadecimals(const HexStart& start, std::uint64_t* values, std::size_t most) {
    constexpr std::size_t kSame = sizeof start.text;
    const char* at = at_;
    std::size_t count = 0;
    for (; count < most; ++count) {
      const char* rest = at + 1 + kSame;
      if (*at != ' ' || std::memcmp(at + 1, start.text.data(), kSame) != 0) break;
      const int upper = hex_digit(rest[0]);
      const int lower = hex_digit(rest[1]);
      if ((upper | lower) < 0 || (rest[2] != ' ' && rest[2] != '\n')) break;
      values[count] = start.value << 8U | static_cast<std::uint64_t>(upper << 4U | lower);
      at = rest + 2;
    }
    at_ = at;
    return count;
  }

  std::string_view word(const char* what) {
    skip_spaces();
    const char* start = at_;
    while (static_cast<unsigned char>(*at_) > ' ') ++at_;
    if (at_ == start || !at_separator()) bad(what, start);
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  // Checks that the line ends here, and returns the start of the next line.
  const char* end() {
    if (!at_end()) {
      if (*at_ == '\r') source_.fail("the line ends in CR LF; LF alone is wanted");
      bad("the end of the line", at_);
    }
    return at_ + 1;
  }

  const char* next_line() const { return static_cast<const char*>(rawmemchr(at_, '\n')) + 1; }

  [[noreturn]] void bad(const char* what, const char* found) const;  // "expected ..., found '...'"

 private:
  static constexpr std::size_t kSafeDigits = 18;  // a decimal number of so many digits fits into 64 bits

  std::uint64_t checked_decimal(const char* what, std::uint64_t most);  // of any length; finds what is wrong
  bool at_separator() const { return *at_ == ' ' || *at_ == '\n'; }
  void skip_spaces() {
    while (*at_ == ' ') ++at_;
  }

  const TextSource& source_;
  const char* at_;
};

// Returns whether `text` starts with `start`, and removes `start` from it if so.
inline bool cut(std::string_view& text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  return true;
}

}  // namespace heddle
