#include "models/core/base/random.h"

namespace heddle {

Random Random::fork(std::string_view purpose) const {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  Random child(state_ ^ hash);
  child.next();
  return child;
}

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t reject = (0 - bound) % bound;  // 2^64 mod bound: a draw below it would bias the result
  std::uint64_t draw = next();
  while (draw < reject) draw = next();
  return draw % bound;
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

// The draw is the sum of twelve uniform ones (Irwin-Hall). It needs additions alone, so every machine gets
// the same bits.
double Random::normal() {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += unit();
  return sum;
}

}  // namespace heddle
