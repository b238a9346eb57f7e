// min and max with .NaN, .xorsign.abs and three sources.

#include <cmath>

#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_half.h"
#include "tests/support/ptx/ptx_lane_values.h"

namespace heddle::ptx {
namespace {

// How a set of numbers of one format is read and written.
struct Format {
  std::function<double(std::uint64_t)> value;
  std::uint64_t sign = 0;
  std::uint64_t nan = 0;
};

struct Options {
  bool greatest = false;
  bool keep_nan = false;
  bool absolute = false;
  bool xor_sign = false;
};

// Returns the extreme of the numbers as the pseudocode of the PTX ISA, "min" and "max".
std::uint64_t extreme(const Format& format, const Options& options, std::vector<std::uint64_t> bits) {
  std::uint64_t sign = 0;
  for (std::uint64_t& one : bits) {
    sign ^= one & format.sign;
    if (options.absolute) one &= ~format.sign;
  }
  std::uint64_t best = format.nan;
  for (const std::uint64_t one : bits) {
    const double value = format.value(one);
    if (std::isnan(value) && options.keep_nan) return format.nan;
    if (std::isnan(value)) continue;
    const double known = format.value(best);
    const bool first = std::isnan(known);
    const bool negative = (one & format.sign) != 0;
    const bool beyond = options.greatest ? value > known || (value == known && !negative)
                                         : value < known || (value == known && negative);
    if (first || beyond) best = one;
  }
  return best == format.nan || !options.xor_sign ? best : best | sign;
}

Format single() {
  return {[](std::uint64_t bits) { return double{float_of_bits<float>(bits)}; }, 0x80000000U, 0x7fffffffU};
}
std::uint64_t flushed(std::uint64_t bits, bool flush) {
  return flush && (bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits;
}

std::string name_with(const std::string& start, const Options& options) {
  return start + (options.keep_nan ? ".NaN" : "") + (options.xor_sign ? ".xorsign" : "") +
         (options.absolute ? ".abs" : "");
}

TEST(PtxLaneExtremes, SingleNumbersKeepNanLoseSignsAndComeInThrees) {
  for (const bool greatest : {false, true})
    for (const bool flush : {false, true})
      for (const bool keep_nan : {false, true})
        for (const int kind : {0, 1, 2, 3}) {  // two; .xorsign.abs; three; three with .abs
          const Options options{greatest, keep_nan, kind == 1 || kind == 3, kind == 1};
          const std::size_t sources = kind < 2 ? 2 : 3;
          const std::string start = std::string(greatest ? "max" : "min") + (flush ? ".ftz" : "");
          expect_lanes(
              spelled(name_with(start, options) + ".f32", std::vector<Type>(sources + 1, Type::kF32)),
              [=](const LaneValues& v) {
                std::vector<std::uint64_t> bits;
                for (std::size_t i = 0; i < sources; ++i) bits.push_back(flushed(v[i], flush));
                return extreme(single(), options, bits);
              });
        }
}

TEST(PtxLaneExtremes, HalvesKeepNanAndTakeTheProductOfSigns) {
  for (const Type type : {Type::kF16, Type::kF16x2, Type::kBf16, Type::kBf16x2})
    for (const bool greatest : {false, true})
      for (const bool keep_nan : {false, true}) {
        const HalfNumbers numbers = half_numbers(type);
        const Format format{
            [=](std::uint64_t bits) { return numbers.value(static_cast<std::uint32_t>(bits)); }, 0x8000,
            0x7fff};
        const Options options{greatest, keep_nan, true, true};
        const std::string name = name_with(greatest ? "max" : "min", options) + "." + name_of(type);
        expect_lanes(spelled(name, {type, type, type}), [=](const LaneValues& v) {
          return each_half(type, [&](unsigned shift) {
            return extreme(format, options, {v[0] >> shift & 0xffffU, v[1] >> shift & 0xffffU});
          });
        });
      }
}

}  // namespace
}  // namespace heddle::ptx
