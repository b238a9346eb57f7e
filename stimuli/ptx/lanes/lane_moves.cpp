// Copies and selections: mov, selp and slct.

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {
namespace {

template <typename T>
void copy(const LaneOperation&, const LaneOperands& lanes) {
  map<T, T>(lanes, [](T a) { return a; });
}

void copy_predicate(const LaneOperation&, const LaneOperands& lanes) {
  set_mask(lanes, lanes.destinations[0], mask_at(lanes.sources[0]));
}

// Packs several registers into one; the first holds the lowest bits.
template <typename T, unsigned kParts>
void pack(const LaneOperation& operation, const LaneOperands& lanes) {
  const std::uint64_t mask = operation.constants[0];
  const auto bits = static_cast<unsigned>(operation.constants[1]);
  const auto all = lanes.sources;
  each_lane<T>(lanes.active, lanes.destinations[0], [=](std::size_t lane) {
    std::uint64_t whole = 0;
    for (unsigned part = 0; part < kParts; ++part) {
      const std::uint64_t value = static_cast<const std::uint32_t*>(all[part])[lane];
      whole |= (value & mask) << (part * bits);
    }
    return static_cast<T>(whole);
  });
}

template <typename T, unsigned kParts>
void unpack(const LaneOperation& operation, const LaneOperands& lanes) {
  const std::uint64_t mask = operation.constants[0];
  const auto bits = static_cast<unsigned>(operation.constants[1]);
  std::array<T, kWarpLanes> whole;
  std::memcpy(whole.data(), lanes.sources[0], sizeof(whole));
  for (unsigned part = 0; part < kParts; ++part) {
    if (lanes.destinations[part] == nullptr) continue;
    each_lane<std::uint32_t>(lanes.active, lanes.destinations[part], [&](std::size_t lane) {
      return static_cast<std::uint32_t>((whole[lane] >> (part * bits)) & mask);
    });
  }
}

template <typename T>
LaneOperation::Function braces_function(unsigned parts, bool to_one) {
  if (parts == 2) return to_one ? pack<T, 2> : unpack<T, 2>;
  return to_one ? pack<T, 4> : unpack<T, 4>;
}

LaneOperation move(const Statement& statement, const Operand* operands) {
  LaneOperation operation;
  const std::uint32_t bits = bits_of(statement.type);
  const bool unpacks = operands[0].kind == OperandKind::kVector;
  if (unpacks || operands[1].kind == OperandKind::kVector) {
    const unsigned parts = operands[unpacks ? 0 : 1].count;
    operation.function = bits == 64 ? braces_function<std::uint64_t>(parts, !unpacks)
                                    : braces_function<std::uint32_t>(parts, !unpacks);
    operation.constants = {(std::uint64_t{1} << (bits / parts)) - 1, bits / parts};
  } else if (statement.type == Type::kPred) {
    operation.function = copy_predicate;
  } else {
    operation.function = bits == 64 ? copy<std::uint64_t> : copy<std::uint32_t>;
  }
  return operation;
}

template <typename T>
void select(const LaneOperation&, const LaneOperands& lanes) {
  const auto* const a = static_cast<const T*>(lanes.sources[0]);
  const auto* const b = static_cast<const T*>(lanes.sources[1]);
  const std::uint32_t mask = mask_at(lanes.sources[2]);
  each_lane<T>(lanes.active, lanes.destinations[0], [=](std::size_t lane) {
    const T x = a[lane];
    const T y = b[lane];
    return (mask & kBits[lane]) != 0 ? x : y;
  });
}

// Selects the first source if the selector is not negative. -0 is not negative, and .ftz makes subnormal
// selectors zeros first.
template <typename T, typename Selector, bool kFlush>
void select_by_sign(const LaneOperation&, const LaneOperands& lanes) {
  map<T, T, T, Selector>(lanes, [](T a, T b, Selector selector) {
    constexpr Selector kLeast = kFlush ? static_cast<Selector>(-0x1p-126) : Selector{0};
    return (kFlush ? selector > kLeast : selector >= kLeast) ? a : b;
  });
}

void create_policy(const LaneOperation&, const LaneOperands& lanes) {
  each_lane<std::uint64_t>(lanes.active, lanes.destinations[0], [](std::size_t) { return std::uint64_t{0}; });
}

template <typename T>
LaneOperation::Function select_function(const Statement& statement) {
  if (statement.opcode == Opcode::kSelp) return select<T>;
  if (statement.source_type == Type::kS32) return select_by_sign<T, std::int32_t, false>;
  return statement.has(kFtz) ? select_by_sign<T, float, true> : select_by_sign<T, float, false>;
}

}  // namespace

LaneOperation move_operation(const Statement& statement, const Operand* operands) {
  LaneOperation operation;
  if (statement.opcode == Opcode::kMov) return move(statement, operands);
  if (statement.opcode == Opcode::kCreatePolicy) operation.function = create_policy;
  if (statement.opcode == Opcode::kSelp || statement.opcode == Opcode::kSlct)
    operation.function = bits_of(statement.type) == 64 ? select_function<std::uint64_t>(statement)
                                                       : select_function<std::uint32_t>(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
