#pragma once
// What PTX instructions without memory and control flow do to the 32 lanes of a warp. Which work an
// instruction needs is chosen once; running it is one call.
//
// A register is 32 lanes of 32 bits, or of 64 where its type has 64. Narrower ones (.b8, .b16, .f16) lie in
// 32 bits, extended by zeros. A predicate is one number of 32 bits, a bit for each lane.
//
// Results are IEEE-754's where PTX promises that. Beyond it:
//   NaN          an f32 that comes from arithmetic is 0x7fffffff, an f64 0xfff8000000000000, an f16 0x7fff;
//                neg, abs, copysign and conversions to f64 keep its payload, and moves all bits
//   .ftz         subnormal sources and rounded subnormal results become zeros of their sign
//   .sat         of floating point: in [+0, 1], NaN and -0 give +0
//   x / 0, x % 0 of integers: all ones; the least number / -1 is itself, its remainder 0
//   mad.f32      is fma
// Errors of the approximations, in units of the last place:
//   div.approx, div.full, rcp.approx, sqrt.approx (f32)    0.5, over the whole range
//   rsqrt, sin, cos, lg2, ex2, tanh .approx (f32)          0.5001: rounded from double
//   rsqrt.approx.f64                                       2
//   rcp.approx.ftz.f64, rsqrt.approx.ftz.f64               2^-20 of the value; the lower 32 bits are not read
//                                                          and become zeros
// sin and cos reduce their argument exactly, however large.

#include <array>
#include <cstddef>
#include <cstdint>

#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

constexpr std::size_t kWarpLanes = 32;
constexpr std::uint32_t kEveryLane = ~std::uint32_t{0};

// Of one execution: where its registers lie, in the order of the instruction's operands, those in braces one
// by one. A destination may be one of the sources; else registers do not overlap. Null: an operand that is
// not there, or a destination `_` of setp or of a mov in braces.
struct LaneOperands {
  std::array<void*, 4> destinations{};
  std::array<const void*, 4> sources{};
  std::uint32_t active = kEveryLane;  // the other lanes keep their destinations and their carry
  std::uint32_t* carry = nullptr;     // CC.CF of each lane; of a subtraction it is the borrow
};

// Of an instruction, for all warps and executions.
struct LaneOperation {
  using Function = void (*)(const LaneOperation&, const LaneOperands&);

  Function function = nullptr;
  std::array<std::uint64_t, 6> constants{};  // the function's own
  int rounding = 0;                          // of floating point: as fesetround() takes it

  explicit operator bool() const { return function != nullptr; }
  void run(const LaneOperands& lanes) const { function(*this, lanes); }
};

// Empty where the instruction moves memory or control, or tells lanes of each other. `operands` are the
// instruction's: their registers' widths, braces and negations count. Runs expect that the host rounds to
// nearest, and leave it so.
LaneOperation lane_operation(const Statement& statement, const Operand* operands);

// A source that is the same in all lanes: an immediate as the reader decodes it, in its type's width.
template <typename Storage>
void broadcast(std::uint64_t value, Type type, Storage* lanes) {
  const std::uint32_t bits = bits_of(type);
  const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) lanes[lane] = static_cast<Storage>(value & mask);
}

}  // namespace heddle::ptx
