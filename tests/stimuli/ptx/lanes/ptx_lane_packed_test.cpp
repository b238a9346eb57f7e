// Sums of products of bytes and halves (PTX ISA, "dp4a" and "dp2a").

#include "tests/support/ptx/ptx_lane_values.h"

namespace heddle::ptx {
namespace {

std::int64_t part_of(std::uint64_t word, std::uint32_t part, std::uint32_t bits, bool has_sign) {
  const std::int64_t range = std::int64_t{1} << bits;
  const auto value = static_cast<std::int64_t>(word >> (part * bits)) % range;
  return has_sign && value >= range / 2 ? value - range : value;
}

LaneReference sum_of_products(std::uint32_t parts, std::uint32_t first, Type a, Type b) {
  return [=](const LaneValues& v) {
    auto sum = static_cast<std::int64_t>(v[2]);
    for (std::uint32_t i = 0; i < parts; ++i)
      sum += part_of(v[0], i, 32 / parts, is_signed(a)) * part_of(v[1], first + i, 8, is_signed(b));
    return static_cast<std::uint64_t>(sum) & 0xffffffffU;
  };
}

TEST(PtxLanePacked, ProductsOfPartsAreAdded) {
  for (const Type a : {Type::kU32, Type::kS32})
    for (const Type b : {Type::kU32, Type::kS32}) {
      const std::string types = std::string(".") + name_of(a) + "." + name_of(b);
      const std::vector<Type> operands = {a, a, b, a};
      expect_lanes(spelled("dp4a" + types, operands), sum_of_products(4, 0, a, b));
      expect_lanes(spelled("dp2a.lo" + types, operands), sum_of_products(2, 0, a, b));
      expect_lanes(spelled("dp2a.hi" + types, operands), sum_of_products(2, 2, a, b));
    }
}

}  // namespace
}  // namespace heddle::ptx
