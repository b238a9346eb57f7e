// Arithmetic, comparisons and conversions of .f16, .f16x2, .bf16 and .bf16x2.

#include "stimuli/ptx/lanes/lane_half.h"

namespace heddle::ptx::lanes {
namespace {

using Word = std::uint32_t;
constexpr Word kSign = 0x8000;
constexpr Word kNan = 0x7fff;

struct Settings {
  bool flush = false;
  bool saturate = false;
  bool relu = false;
  bool keep_nan = false;
  bool xor_sign = false;
};

Settings settings_of(const LaneOperation& operation) {
  return {operation.constants[0] != 0, operation.constants[1] != 0, operation.constants[2] != 0,
          (operation.constants[3] & 1U) != 0, operation.constants[3] > 1};
}

// Rounds a result to nearest even.
template <typename Format>
HEDDLE_LANE_INLINE Word finished(double value, const Settings& settings) {
  if (value != value) return settings.saturate ? 0 : kNan;
  if (settings.saturate) value = value > 0 ? (value < 1 ? value : 1) : 0;
  if (settings.relu && !(value > 0)) value = 0;
  return flushed_half<Format>(Format::bits(value, FE_TONEAREST), settings.flush);
}

struct Add {
  static double of(double a, double b, double) { return sum_to_odd(a, b); }
};
struct Sub {
  static double of(double a, double b, double) { return sum_to_odd(a, -b); }
};
struct Mul {
  static double of(double a, double b, double) { return a * b; }
};
struct Fma {
  static double of(double a, double b, double c) { return sum_to_odd(a * b, c); }
};
struct PowerOfTwo {
  static double of(double a, double, double) { return std::exp2(a); }
};
struct HyperbolicTangent {
  static double of(double a, double, double) { return std::tanh(a); }
};

template <typename Kind>
struct Rounded {
  template <typename Format>
  HEDDLE_LANE_INLINE static Word of(Word a, Word b, Word c, const Settings& settings) {
    const auto value = [&](Word bits) { return Format::of(flushed_half<Format>(bits, settings.flush)); };
    return finished<Format>(Kind::of(value(a), value(b), value(c)), settings);
  }
};

// The result is the number if the other source is a NaN, except with .NaN; -0 is less than +0.
template <bool kGreater>
struct Extreme {
  template <typename Format>
  HEDDLE_LANE_INLINE static Word of(Word a, Word b, Word, const Settings& settings) {
    a = flushed_half<Format>(a, settings.flush);
    b = flushed_half<Format>(b, settings.flush);
    if (!settings.xor_sign) return of_numbers<Format>(a, b, settings);
    const Word result = of_numbers<Format>(a & ~kSign, b & ~kSign, settings);
    return (result & ~kSign) > Format::kExponent ? result : result | ((a ^ b) & kSign);
  }

 private:
  template <typename Format>
  HEDDLE_LANE_INLINE static Word of_numbers(Word a, Word b, const Settings& settings) {
    const bool first_nan = (a & ~kSign) > Format::kExponent;
    const bool second_nan = (b & ~kSign) > Format::kExponent;
    if (first_nan && second_nan) return kNan;
    if (first_nan || second_nan) return settings.keep_nan ? kNan : (first_nan ? b : a);
    // Orders numbers as integers: negative ones are complemented.
    const auto order = [](Word bits) { return (bits & kSign) != 0 ? ~bits & 0xffffU : bits | kSign; };
    return (order(a) > order(b)) == kGreater ? a : b;
  }
};

template <bool kNegate>
struct ChangeSign {
  template <typename Format>
  HEDDLE_LANE_INLINE static Word of(Word a, Word, Word, const Settings& settings) {
    a = flushed_half<Format>(a, settings.flush);
    return kNegate ? a ^ kSign : a & ~kSign;
  }
};

// Applies the operation to the lower half of the words, and for packed types to both halves.
template <typename Kind, typename Format, bool kPacked, std::size_t kSources>
void run(const LaneOperation& operation, const LaneOperands& lanes) {
  const Settings settings = settings_of(operation);
  std::array<const Word*, 3> sources{};
  for (std::size_t i = 0; i < kSources; ++i) sources[i] = static_cast<const Word*>(lanes.sources[i]);
  each_lane<Word>(lanes.active, lanes.destinations[0], [sources, settings](std::size_t lane) {
    std::array<Word, 3> all{};
    for (std::size_t i = 0; i < kSources; ++i) all[i] = sources[i][lane];
    const auto part = [&](unsigned shift) {
      return Kind::template of<Format>(all[0] >> shift & 0xffffU, all[1] >> shift & 0xffffU,
                                       all[2] >> shift & 0xffffU, settings);
    };
    return kPacked ? part(16) << 16U | part(0) : part(0);
  });
}

template <typename Kind, std::size_t kSources>
LaneOperation::Function function_of(Type type) {
  switch (type) {
    case Type::kF16:
      return run<Kind, HalfFormat, false, kSources>;
    case Type::kF16x2:
      return run<Kind, HalfFormat, true, kSources>;
    case Type::kBf16:
      return run<Kind, BfloatFormat, false, kSources>;
    default:
      return run<Kind, BfloatFormat, true, kSources>;
  }
}

LaneOperation::Function arithmetic_function(const Statement& statement) {
  const Type type = statement.type;
  switch (statement.opcode) {
    case Opcode::kAdd:
      return function_of<Rounded<Add>, 2>(type);
    case Opcode::kSub:
      return function_of<Rounded<Sub>, 2>(type);
    case Opcode::kMul:
      return function_of<Rounded<Mul>, 2>(type);
    case Opcode::kFma:
      return function_of<Rounded<Fma>, 3>(type);
    case Opcode::kMin:
      return function_of<Extreme<false>, 2>(type);
    case Opcode::kMax:
      return function_of<Extreme<true>, 2>(type);
    case Opcode::kAbs:
      return function_of<ChangeSign<false>, 1>(type);
    case Opcode::kNeg:
      return function_of<ChangeSign<true>, 1>(type);
    case Opcode::kEx2:
      return function_of<Rounded<PowerOfTwo>, 1>(type);
    case Opcode::kTanh:
      return function_of<Rounded<HyperbolicTangent>, 1>(type);
    default:
      return nullptr;
  }
}

// constants[4] is the comparison.
bool holds(Comparison comparison, double a, double b) {
  const bool ordered = a == a && b == b;
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return ordered && a != b;
    case Comparison::kLt:
      return a < b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kGt:
      return a > b;
    case Comparison::kGe:
      return a >= b;
    case Comparison::kEqu:
      return !ordered || a == b;
    case Comparison::kNeu:
      return a != b;
    case Comparison::kLtu:
      return !(a >= b);
    case Comparison::kLeu:
      return !(a > b);
    case Comparison::kGtu:
      return !(a <= b);
    case Comparison::kGeu:
      return !(a < b);
    case Comparison::kNum:
      return ordered;
    default:
      return !ordered;
  }
}

// Returns the lanes in which the comparison holds between the halves at `shift`.
template <typename Format>
Word compared(const LaneOperation& operation, const LaneOperands& lanes, unsigned shift) {
  const auto* const a = static_cast<const Word*>(lanes.sources[0]);
  const auto* const b = static_cast<const Word*>(lanes.sources[1]);
  const auto comparison = static_cast<Comparison>(operation.constants[4]);
  const bool flush = operation.constants[0] != 0;
  const auto value = [=](Word word) {
    return Format::of(flushed_half<Format>(word >> shift & 0xffffU, flush));
  };
  return mask_of([&](std::size_t lane) { return holds(comparison, value(a[lane]), value(b[lane])); });
}

// The two predicates are those of the lower and the upper halves.
template <typename Format>
void set_predicates(const LaneOperation& operation, const LaneOperands& lanes) {
  const Word lower = compared<Format>(operation, lanes, 0);
  const Word upper = compared<Format>(operation, lanes, 16);
  set_mask(lanes, lanes.destinations[0], lower);
  set_mask(lanes, lanes.destinations[1], upper);
}

// constants[5] is the value of true; two halves follow each other in the result of packed types.
template <typename Format, bool kPacked>
void set_values(const LaneOperation& operation, const LaneOperands& lanes) {
  const Word lower = compared<Format>(operation, lanes, 0);
  const Word upper = kPacked ? compared<Format>(operation, lanes, 16) : 0;
  const auto truth = static_cast<Word>(operation.constants[5]);
  each_lane<Word>(lanes.active, lanes.destinations[0], [=](std::size_t lane) {
    const Word result = (lower & kBits[lane]) != 0 ? truth : 0;
    return result | ((upper & kBits[lane]) != 0 ? truth << 16U : 0);
  });
}

std::uint64_t truth_of(const Statement& statement) {
  if (statement.type == Type::kF16 || statement.type == Type::kF16x2) return HalfFormat::kOne;
  if (statement.type == Type::kBf16 || statement.type == Type::kBf16x2) return BfloatFormat::kOne;
  return bits_of(statement.type) == 32 && !is_packed(statement.source_type) ? 0xffffffffU : 0xffffU;
}

LaneOperation set_operation(const Statement& statement) {
  LaneOperation operation;
  const bool packed = is_packed(statement.source_type);
  if (statement.source_type == Type::kF16 || statement.source_type == Type::kF16x2)
    operation.function = packed ? set_values<HalfFormat, true> : set_values<HalfFormat, false>;
  else
    operation.function = packed ? set_values<BfloatFormat, true> : set_values<BfloatFormat, false>;
  return operation;
}

HEDDLE_LANE_INLINE float positive(float value, bool relu) {
  return relu && value <= 0 ? 0.0F : value;
}

// The first source becomes the upper half. constants[2]: .relu.
template <typename Format>
void convert_pair(const LaneOperation& operation, const LaneOperands& lanes) {
  const int mode = operation.rounding;
  const bool relu = operation.constants[2] != 0;
  map<Word, float, float>(lanes, [mode, relu](float a, float b) {
    return Format::bits(positive(a, relu), mode) << 16U | Format::bits(positive(b, relu), mode);
  });
}
void convert_to_bfloat(const LaneOperation& operation, const LaneOperands& lanes) {
  const int mode = operation.rounding;
  const bool relu = operation.constants[2] != 0;
  map<Word, float>(lanes, [mode, relu](float a) { return bfloat_of(positive(a, relu), mode); });
}
void convert_from_bfloat(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word>(lanes, [](Word a) { return a << 16U; });
}

LaneOperation::Function conversion_function(const Statement& statement) {
  if (statement.type == Type::kF16x2) return convert_pair<HalfFormat>;
  if (statement.type == Type::kBf16x2) return convert_pair<BfloatFormat>;
  if (statement.type == Type::kBf16) return convert_to_bfloat;
  return statement.source_type == Type::kBf16 ? convert_from_bfloat : nullptr;
}

}  // namespace

LaneOperation half_operation(const Statement& statement) {
  LaneOperation operation;
  if (statement.opcode == Opcode::kCvt)
    operation.function = conversion_function(statement);
  else if (statement.opcode == Opcode::kSet && is_half(statement.source_type))
    operation = set_operation(statement);
  else if (statement.opcode == Opcode::kSetp && is_packed(statement.type))
    operation.function =
        statement.type == Type::kF16x2 ? set_predicates<HalfFormat> : set_predicates<BfloatFormat>;
  else if (is_half(statement.type))
    operation.function = arithmetic_function(statement);
  operation.constants = {
      statement.has(kFtz),
      statement.has(kSat),
      statement.has(kRelu),
      std::uint64_t{statement.has(kKeepNan)} | std::uint64_t{statement.has(kXorSign)} << 1U,
      static_cast<std::uint64_t>(statement.comparison),
      truth_of(statement)};
  return operation;
}

}  // namespace heddle::ptx::lanes
