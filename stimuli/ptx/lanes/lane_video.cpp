// Video instructions: arithmetic of bytes, halves and words that are selected from registers (PTX ISA,
// "Scalar Video Instructions" and "SIMD Video Instructions"). Intermediate results are exact, so that only a
// final result is cut to its width.

#include <algorithm>

#include "stimuli/ptx/lanes/lane_loops.h"
#include "stimuli/ptx/statements/video.h"

namespace heddle::ptx::lanes {
namespace {

using Word = std::uint32_t;
__extension__ using Wide = __int128;

// The steps of an instruction, packed into the constants of its operation.
struct Settings {
  Opcode opcode = Opcode::kVadd;
  Variant variant = Variant::kNone;
  Comparison comparison = Comparison::kNone;
  bool wraps = false;
  bool first_signed = false;
  bool second_signed = false;
  bool result_signed = false;
  bool saturates = false;
  bool plus_one = false;
  Selector first;
  Selector second;
  Selector result;
  bool merges = false;  // scalar: the result replaces a part of c
};

constexpr std::uint32_t kField = 8;  // bits

std::uint64_t bit(bool value, unsigned position) {
  return std::uint64_t{value} << position;
}

LaneOperation pack(const Settings& s) {
  LaneOperation operation;
  operation.constants[0] = static_cast<std::uint64_t>(s.opcode) |
                           static_cast<std::uint64_t>(s.variant) << kField |
                           static_cast<std::uint64_t>(s.comparison) << (2 * kField);
  operation.constants[1] = bit(s.wraps, 0) | bit(s.first_signed, 1) | bit(s.second_signed, 2) |
                           bit(s.result_signed, 3) | bit(s.saturates, 4) | bit(s.plus_one, 5) |
                           bit(s.merges, 6);
  operation.constants[2] = packed(s.first);
  operation.constants[3] = packed(s.second);
  operation.constants[4] = packed(s.result);
  return operation;
}

Settings unpack(const LaneOperation& operation) {
  const auto flag = [&](unsigned position) { return (operation.constants[1] >> position & 1U) != 0; };
  Settings s;
  s.opcode = static_cast<Opcode>(operation.constants[0] & 0xffU);
  s.variant = static_cast<Variant>(operation.constants[0] >> kField & 0xffU);
  s.comparison = static_cast<Comparison>(operation.constants[0] >> (2 * kField) & 0xffU);
  s.wraps = flag(0);
  s.first_signed = flag(1);
  s.second_signed = flag(2);
  s.result_signed = flag(3);
  s.saturates = flag(4);
  s.plus_one = flag(5);
  s.merges = flag(6);
  s.first = unpacked(operation.constants[2]);
  s.second = unpacked(operation.constants[3]);
  s.result = unpacked(operation.constants[4]);
  return s;
}

std::int64_t extended(std::uint64_t bits, unsigned width, bool has_sign) {
  const unsigned unused = 64 - width;
  return has_sign ? static_cast<std::int64_t>(bits << unused) >> unused
                  : static_cast<std::int64_t>(bits << unused >> unused);
}

// Returns part number `index` of the selection; `words` are the first source in the lower half and the second
// one in the upper half, or a single source.
std::int64_t part_of(std::uint64_t words, const Selector& selector, std::size_t index, bool has_sign) {
  const unsigned shift = unsigned{selector.bits} * selector.part[index];
  return extended(words >> shift, selector.bits, has_sign);
}

bool holds(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return a != b;
    case Comparison::kLt:
      return a < b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

// Averages round away from zero for sums from 0 on, and down for others.
std::int64_t average(std::int64_t a, std::int64_t b) {
  const std::int64_t sum = a + b;
  return (sum >= 0 ? sum + 1 : sum) >> 1;
}

Wide combined(const Settings& s, std::int64_t a, std::int64_t b) {
  switch (s.opcode) {
    case Opcode::kVadd:
    case Opcode::kVadd2:
    case Opcode::kVadd4:
      return a + b;
    case Opcode::kVsub:
    case Opcode::kVsub2:
    case Opcode::kVsub4:
      return a - b;
    case Opcode::kVabsdiff:
    case Opcode::kVabsdiff2:
    case Opcode::kVabsdiff4:
      return a < b ? b - a : a - b;
    case Opcode::kVmin:
    case Opcode::kVmin2:
    case Opcode::kVmin4:
      return std::min(a, b);
    case Opcode::kVmax:
    case Opcode::kVmax2:
    case Opcode::kVmax4:
      return std::max(a, b);
    case Opcode::kVavrg2:
    case Opcode::kVavrg4:
      return average(a, b);
    case Opcode::kVshl:
      return Wide{a} << (s.wraps ? b % 32 : std::min<std::int64_t>(b, 32));
    case Opcode::kVshr:
      return Wide{a} >> (s.wraps ? b % 32 : std::min<std::int64_t>(b, 32));
    default:
      return static_cast<Wide>(holds(s.comparison, a, b));
  }
}

Wide clamped(Wide value, unsigned bits, bool has_sign) {
  const Wide range = Wide{1} << (has_sign ? bits - 1 : bits);
  const Wide least = has_sign ? -range : Wide{0};
  return value < least ? least : (value > range - 1 ? range - 1 : value);
}

Wide with_second_operation(const Settings& s, Wide value, std::int64_t c) {
  if (s.variant == Variant::kAdd) return value + c;
  if (s.variant == Variant::kMin) return std::min<Wide>(value, c);
  return s.variant == Variant::kMax ? std::max<Wide>(value, c) : value;
}

Word scalar(const Settings& s, Word a, Word b, Word c) {
  Wide value = combined(s, part_of(a, s.first, 0, s.first_signed), part_of(b, s.second, 0, s.second_signed));
  if (s.saturates) value = clamped(value, s.result.bits, s.result_signed);
  value = with_second_operation(s, value, extended(c, 32, s.result_signed));
  if (!s.merges) return static_cast<Word>(value);
  const unsigned shift = unsigned{s.result.bits} * s.result.part[0];
  const Word mask = ((Word{1} << s.result.bits) - 1) << shift;
  return (c & ~mask) | (static_cast<Word>(value) << shift & mask);
}

// The sum is signed if a factor is; .po adds 1, and scaling drops low bits.
Word multiply_add(const Settings& s, Word a, Word b, Word c) {
  const bool has_sign = s.first_signed || s.second_signed;
  Wide value = Wide{part_of(a, s.first, 0, s.first_signed)} * part_of(b, s.second, 0, s.second_signed) +
               extended(c, 32, has_sign) + Wide{s.plus_one};
  if (s.variant == Variant::kShr7) value >>= 7;
  if (s.variant == Variant::kShr15) value >>= 15;
  return static_cast<Word>(s.saturates ? clamped(value, 32, has_sign) : value);
}

Word packed_parts(const Settings& s, Word a, Word b, Word c) {
  const std::uint64_t words = std::uint64_t{b} << 32U | a;
  const bool adds = s.variant == Variant::kAdd;
  Word result = c;
  for (std::size_t i = 0; i < s.result.count; ++i) {
    const std::size_t part = s.result.part[i];
    Wide value = combined(s, part_of(words, s.first, part, s.first_signed),
                          part_of(words, s.second, part, s.second_signed));
    if (s.saturates) value = clamped(value, s.result.bits, s.result_signed);
    if (adds) {
      result += static_cast<Word>(value);
      continue;
    }
    const Word mask = ((Word{1} << s.result.bits) - 1) << (s.result.bits * part);
    result = (result & ~mask) | (static_cast<Word>(value) << (s.result.bits * part) & mask);
  }
  return result;
}

template <Word (*kFunction)(const Settings&, Word, Word, Word)>
void run(const LaneOperation& operation, const LaneOperands& lanes) {
  const Settings settings = unpack(operation);
  const auto* const a = static_cast<const Word*>(lanes.sources[0]);
  const auto* const b = static_cast<const Word*>(lanes.sources[1]);
  const auto* const c = static_cast<const Word*>(lanes.sources[2]);
  each_lane<Word>(lanes.active, lanes.destinations[0], [=](std::size_t lane) {
    return kFunction(settings, a[lane], b[lane], c == nullptr ? 0 : c[lane]);
  });
}

Selector selector_of(const Statement& statement, const Operand& operand, bool second_source) {
  const bool selects = operand.kind == OperandKind::kRegister && operand.value != 0;
  return selects ? unpacked(operand.value) : default_selector(statement.opcode, second_source);
}

}  // namespace

LaneOperation video_operation(const Statement& statement, const Operand* operands) {
  const std::uint32_t parts = video_parts(statement.opcode);
  if (parts == 0) return {};
  Settings s;
  s.opcode = statement.opcode;
  s.variant = statement.variant;
  s.comparison = statement.comparison;
  s.wraps = statement.bounds == Bounds::kWrap;
  s.first_signed = is_signed(statement.source_type);
  s.second_signed = is_signed(statement.other_type);
  s.result_signed = is_signed(statement.type);
  s.saturates = statement.has(kSat);
  s.plus_one = statement.has(kPlusOne);
  s.result = selector_of(statement, operands[0], false);
  s.first = selector_of(statement, operands[1], false);
  s.second = selector_of(statement, operands[2], true);
  s.merges = parts == 1 && s.result.bits < 32;
  LaneOperation operation = pack(s);
  operation.function = parts > 1                           ? run<packed_parts>
                       : statement.opcode == Opcode::kVmad ? run<multiply_add>
                                                           : run<scalar>;
  return operation;
}

}  // namespace heddle::ptx::lanes
