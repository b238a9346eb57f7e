#pragma once
// Executes PTX statements without memory accesses and control flow on the 32 lanes of a warp. The function
// that executes a statement is selected once; each execution is one call.
//
// A register holds 32 lanes of 32 bits, or of 64 bits if its type has 64. A value of a narrower type (.b8,
// .b16, .f16) lies in 32 bits and is extended by zeros. A predicate is one word with a bit for each lane.
//
// Results are those of IEEE-754 where PTX requires it. PTX leaves the following open or defines it
// differently:
//   NaN          arithmetic gives 0x7fffffff (f32), 0xfff8000000000000 (f64) and 0x7fff (f16);
//                neg, abs, copysign and conversions to f64 keep the payload, and moves keep all bits
//   .ftz         subnormal sources and rounded subnormal results become zeros of their sign
//   .sat         floating-point results are clamped to [+0, 1]; NaN and -0 become +0
//   x / 0, x % 0 the integer result is all ones; the least number / -1 is itself with remainder 0
//   mad.f32      is fma
//   createpolicy the policy is 0, because no eviction policy of a cache follows it
// The errors of the approximations, in units of the last place, are:
//   div.approx, div.full, rcp.approx, sqrt.approx (f32)    0.5, over the whole range
//   rsqrt, sin, cos, lg2, ex2, tanh .approx (f32)          0.5001: rounded from double
//   rsqrt.approx.f64                                       2
//   rcp.approx.ftz.f64, rsqrt.approx.ftz.f64               2^-20 of the value; the lower 32 bits are not read
//                                                          and become zeros
// sin and cos reduce arguments of every size exactly.

#include <array>
#include <cstddef>
#include <cstdint>

#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

constexpr std::size_t kWarpLanes = 32;
constexpr std::uint32_t kEveryLane = ~std::uint32_t{0};

// The registers of one execution, in the order of the statement's operands; each element of a vector counts
// as an operand. A destination may also be a source; other registers do not overlap. An absent operand is
// null, and so is a destination `_` of setp or of a mov to a vector.
struct LaneOperands {
  std::array<void*, 4> destinations{};
  std::array<const void*, 5> sources{};
  std::uint32_t active = kEveryLane;  // other lanes keep their destinations and carries
  std::uint32_t* carry = nullptr;     // CC.CF of each lane; subtractions use it as the borrow
};

// The operation of a statement, which all warps and executions share.
struct LaneOperation {
  using Function = void (*)(const LaneOperation&, const LaneOperands&);

  Function function = nullptr;
  std::array<std::uint64_t, 6> constants{};  // parameters of the function
  int rounding = 0;                          // a mode of fesetround()

  explicit operator bool() const { return function != nullptr; }
  void run(const LaneOperands& lanes) const { function(*this, lanes); }
};

// Returns an empty operation for a statement that accesses memory, changes control flow or works across
// lanes. `operands` are those of the statement: widths, vectors and negations affect the operation.
// Executions require that the host rounds to nearest, and they restore this mode.
LaneOperation lane_operation(const Statement& statement, const Operand* operands);

// A source with the same value in all lanes: an immediate as the reader decodes it, in the width of its type.
template <typename Storage>
void broadcast(std::uint64_t value, Type type, Storage* lanes) {
  const std::uint32_t bits = bits_of(type);
  const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) lanes[lane] = static_cast<Storage>(value & mask);
}

}  // namespace heddle::ptx
