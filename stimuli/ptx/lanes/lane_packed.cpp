// Sums of products of parts of words.

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {
namespace {

using Word = std::uint32_t;

// Returns part number `part` of the word, each of kBits bits, extended to 32 bits.
template <unsigned kBits, bool kSigned>
HEDDLE_LANE_INLINE Word part_of(Word word, Word part) {
  const Word moved = word << (32 - kBits - kBits * part);
  return kSigned ? static_cast<Word>(static_cast<std::int32_t>(moved) >> (32 - kBits))
                 : moved >> (32 - kBits);
}

// The sum wraps around (PTX ISA, "dp4a" and "dp2a"). kBits are those of a part of `a`; b has bytes, of which
// dp2a takes those from number kFirst on.
template <unsigned kBits, unsigned kFirst, bool kFirstSigned, bool kSecondSigned>
void dot_product(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word, Word>(lanes, [](Word a, Word b, Word c) {
    Word sum = c;
    for (Word part = 0; part < 32 / kBits; ++part)
      sum += part_of<kBits, kFirstSigned>(a, part) * part_of<8, kSecondSigned>(b, kFirst + part);
    return sum;
  });
}

template <unsigned kBits, unsigned kFirst>
LaneOperation::Function dot_product_function(const Statement& statement) {
  const bool second = is_signed(statement.source_type);
  if (is_signed(statement.type))
    return second ? dot_product<kBits, kFirst, true, true> : dot_product<kBits, kFirst, true, false>;
  return second ? dot_product<kBits, kFirst, false, true> : dot_product<kBits, kFirst, false, false>;
}

}  // namespace

LaneOperation packed_operation(const Statement& statement) {
  LaneOperation operation;
  if (statement.opcode == Opcode::kDp4a)
    operation.function = dot_product_function<8, 0>(statement);
  else if (statement.opcode == Opcode::kDp2a)
    operation.function = statement.variant == Variant::kLo ? dot_product_function<16, 0>(statement)
                                                           : dot_product_function<16, 2>(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
