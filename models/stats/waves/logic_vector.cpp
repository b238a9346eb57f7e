#include "models/stats/waves/logic_vector.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr unsigned kWord = 64;

// Returns the digit in lower case, or 0 if the character is no digit.
char digit_of(char character) {
  switch (character) {
    case '0':
    case '1':
    case 'x':
    case 'z':
      return character;
    case 'X':
      return 'x';
    case 'Z':
      return 'z';
    default:
      return 0;
  }
}

std::uint64_t low_bits(unsigned count) {
  return count >= kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Returns `count` bits from bit `low` on of a row of words.
std::uint64_t cut(const std::vector<std::uint64_t>& words, unsigned low, unsigned count) {
  const unsigned word = low / kWord, shift = low % kWord;
  std::uint64_t bits = words[word] >> shift;
  if (shift != 0 && word + 1 < words.size()) bits |= words[word + 1] << (kWord - shift);
  return bits & low_bits(count);
}

}  // namespace

LogicVector::LogicVector(unsigned width)
    : width_(width), ones_((width + kWord - 1) / kWord, 0), unknowns_(ones_.size(), ~std::uint64_t{0}) {}

void LogicVector::set(unsigned bit, bool one, bool unknown) {
  const std::uint64_t mask = std::uint64_t{1} << (bit % kWord);
  if (one) ones_[bit / kWord] |= mask;
  if (unknown) unknowns_[bit / kWord] |= mask;
}

bool LogicVector::assign(std::string_view digits) {
  while (digits.size() > width_ && digits.front() == '0') digits.remove_prefix(1);
  std::fill(ones_.begin(), ones_.end(), 0);
  std::fill(unknowns_.begin(), unknowns_.end(), 0);
  bool is_valid = !digits.empty() && digits.size() <= width_;
  unsigned bit = 0;
  for (std::size_t left = digits.size(); is_valid && left > 0; --left, ++bit) {
    const char digit = digit_of(digits[left - 1]);
    is_valid = digit != 0;
    set(bit, digit == '1' || digit == 'z', digit == 'x' || digit == 'z');
  }
  if (!is_valid) {
    std::fill(ones_.begin(), ones_.end(), 0);
    std::fill(unknowns_.begin(), unknowns_.end(), ~std::uint64_t{0});
    return false;
  }
  const char first = digit_of(digits.front());
  if (first == 'x' || first == 'z')
    for (; bit < width_; ++bit) set(bit, first == 'z', true);
  return true;
}

void LogicVector::assign(std::uint64_t number) {
  std::fill(ones_.begin(), ones_.end(), 0);
  std::fill(unknowns_.begin(), unknowns_.end(), 0);
  ones_[0] = number & low_bits(width_);
}

std::optional<std::uint64_t> LogicVector::number(unsigned low, unsigned count) const {
  if (cut(unknowns_, low, count) != 0) return std::nullopt;
  return cut(ones_, low, count);
}

char LogicVector::state(unsigned bit) const {
  const bool one = cut(ones_, bit, 1) != 0;
  if (cut(unknowns_, bit, 1) == 0) return one ? '1' : '0';
  return one ? 'z' : 'x';
}

}  // namespace heddle
