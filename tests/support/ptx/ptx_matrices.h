#pragma once
// Reference products of matrices.

#include <cmath>
#include <random>
#include <vector>

#include "stimuli/ptx/statements/statement.h"
#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_half.h"
#include "tests/support/ptx/ptx_numbers.h"

namespace heddle::ptx {

// A matrix of the bits of numbers.
class Numbers {
 public:
  Numbers(Type type, int rows, int columns)
      : type_(type), rows_(rows), columns_(columns), bits_(static_cast<std::size_t>(rows) * columns) {}
  Type type() const { return type_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  void set(int row, int column, std::uint64_t bits) { bits_.at(row * columns_ + column) = bits; }
  std::uint64_t at(int row, int column) const { return bits_.at(row * columns_ + column); }
  // The number in double precision, which holds every type but s32 and u8 as well.
  double number(int row, int column) const {
    const std::uint64_t bits = at(row, column);
    switch (type_) {
      case Type::kF16:
      case Type::kBf16:
        return half_numbers(type_).value(static_cast<std::uint32_t>(bits));
      case Type::kTf32:
        return double{float_of_bits<float>(bits >> 13U << 13U)};
      case Type::kF32:
        return double{float_of_bits<float>(bits)};
      case Type::kF64:
        return float_of_bits<double>(bits);
      default:
        return static_cast<double>(number_of(type_, bits));
    }
  }

 private:
  Type type_;
  int rows_;
  int columns_;
  std::vector<std::uint64_t> bits_;
};

// Returns a register of random elements. Numbers are of similar size, so that sums round; with `wild` some
// are infinite, huge or no numbers.
inline std::uint64_t random_word(Type type, std::mt19937_64& random, bool wild) {
  const auto one = [&]() -> std::uint64_t {
    const std::uint64_t bits = random();
    if (wild && bits % 5 == 0) return random();
    switch (type) {
      case Type::kF16:
        return (bits & 0x83ffU) | (12 + bits % 8) << 10U;
      case Type::kBf16:
        return (bits & 0x807fU) | (124 + bits % 7) << 7U;
      case Type::kTf32:
      case Type::kF32:
        return (bits & 0x807fffffU) | (124 + bits % 7) << 23U;
      case Type::kF64:
        return (bits & 0x800fffffffffffffU) | (1020 + bits % 7) << 52U;
      default:
        return bits;
    }
  };
  const std::uint32_t width = bits_of(type);
  if (width == 64) return one();
  std::uint64_t word = 0;
  for (std::uint32_t shift = 0; shift < 32; shift += width)
    word |= (one() & ((std::uint64_t{1} << width) - 1)) << shift;
  return word;
}

// Returns the sum rounded to T, to nearest even or as `mode` says.
template <typename T>
T rounded_sum(T sum, double a, double b, const std::string& mode) {
  const T host = static_cast<T>(static_cast<double>(sum) + a * b);
  const bool special =
      std::isnan(a) || std::isnan(b) || std::isnan(sum) || std::isinf(a) || std::isinf(b) || std::isinf(sum);
  if (special) return host;
  const Exact exact = exact_sum(Quad(sum), Quad(a) * Quad(b));
  const T result = rounded<T>(exact, mode);
  return result == 0 && sum == 0 ? host : result;
}

// Each sum is rounded for each product in turn, from k = 0 on.
inline std::uint64_t element_of_product(const Numbers& a, const Numbers& b, const Numbers& c, int row,
                                        int column, Type type, const Statement& fields) {
  if (a.type() == Type::kF64) {
    const std::string mode = fields.rounding == Rounding::kRz   ? "rz"
                             : fields.rounding == Rounding::kRm ? "rm"
                             : fields.rounding == Rounding::kRp ? "rp"
                                                                : "rn";
    double sum = c.number(row, column);
    for (int k = 0; k < a.columns(); ++k) sum = rounded_sum(sum, a.number(row, k), b.number(k, column), mode);
    return std::isnan(sum) ? 0xfff8000000000000U : bits_of_float(sum);
  }
  if (type == Type::kS32) {
    Big sum = number_of(c.type(), c.at(row, column));
    for (int k = 0; k < a.columns(); ++k)
      sum += number_of(a.type(), a.at(row, k)) * number_of(b.type(), b.at(k, column));
    return bits_of_number(Type::kS32, fields.has(kSatFinite) ? clamped(Type::kS32, sum) : sum);
  }
  auto sum = static_cast<float>(c.number(row, column));
  for (int k = 0; k < a.columns(); ++k) sum = rounded_sum(sum, a.number(row, k), b.number(k, column), "rn");
  if (type == Type::kF16) return half_numbers(type).result({Quad(sum), 0}, double{sum});
  return std::isnan(sum) ? 0x7fffffffU : bits_of_float(sum);
}

inline Numbers product(const Numbers& a, const Numbers& b, const Numbers& c, Type type,
                       const Statement& fields) {
  Numbers d(type, c.rows(), c.columns());
  for (int row = 0; row < c.rows(); ++row)
    for (int column = 0; column < c.columns(); ++column)
      d.set(row, column, element_of_product(a, b, c, row, column, type, fields));
  return d;
}

}  // namespace heddle::ptx
