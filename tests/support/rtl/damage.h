#pragma once
// These functions damage a text at random: bytes, lines, numbers, the end. The same generator damages it in
// the same way.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "models/core/base/random.h"

namespace heddle::test {

inline std::size_t line_start(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return before == std::string::npos ? 0 : before + 1;
}

inline std::string line_at(const std::string& text, std::size_t at) {
  const std::size_t start = line_start(text, at);
  return text.substr(start, std::min(text.find('\n', start), text.size()) - start + 1);
}

// Makes one change to the text, which is not empty.
inline void damage_once(std::string& text, Random& random) {
  static constexpr const char* kNumbers[] = {
      "0", "-1", "4294967296", "18446744073709551616", "1e308", "x", "99999999999999999999999", "nan", "0.5"};
  const std::size_t at = random.below(text.size());
  switch (random.below(7)) {
    case 0:
      text[at] = static_cast<char>(random.below(256));
      return;
    case 1:
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << random.below(8)));
      return;
    case 2:
      text.resize(at);
      return;
    case 3: {
      const std::size_t start = text.find_first_of("0123456789", at);
      if (start == std::string::npos) return;
      const std::size_t end = std::min(text.find_first_not_of("0123456789", start), text.size());
      text.replace(start, end - start, kNumbers[random.below(std::size(kNumbers))]);
      return;
    }
    case 4:
      text.insert(line_start(text, at), line_at(text, random.below(text.size())));
      return;
    case 5:
      text.erase(line_start(text, at), line_at(text, at).size());
      return;
    default: {
      const std::size_t from = random.below(text.size());
      text.insert(at, text.substr(from, random.below(40)));
    }
  }
}

// Returns the text with one to five changes.
inline std::string damaged(std::string text, Random& random) {
  for (std::uint64_t left = 1 + random.below(5); left > 0 && !text.empty(); --left) damage_once(text, random);
  return text;
}

}  // namespace heddle::test
