#include "stimuli/ptx/statements/modifiers.h"

#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/statements/group_product.h"

namespace heddle::ptx {
namespace {

struct Spelling {
  Field field;
  std::string_view text;
  std::uint32_t value;
};

template <class Enum>
constexpr Spelling spell(Field field, std::string_view text, Enum value) {
  return {field, text, static_cast<std::uint32_t>(value)};
}

constexpr Spelling kSpellings[] = {
    spell(Field::kFlag, "ftz", kFtz),
    spell(Field::kFlag, "sat", kSat),
    spell(Field::kFlag, "approx", kApprox),
    spell(Field::kFlag, "full", kFull),
    spell(Field::kFlag, "cc", kCarryOut),
    spell(Field::kFlag, "uni", kUniform),
    spell(Field::kFlag, "aligned", kAligned),
    spell(Field::kFlag, "nc", kReadOnly),
    spell(Field::kFlag, "shiftamt", kShiftAmount),
    spell(Field::kFlag, "to", kTo),
    spell(Field::kFlag, "relu", kRelu),
    spell(Field::kFlag, "NaN", kKeepNan),
    spell(Field::kFlag, "satfinite", kSatFinite),
    spell(Field::kFlag, "trans", kTransposed),
    spell(Field::kFlag, "expect_tx", kExpectBytes),
    spell(Field::kFlag, "noComplete", kNoComplete),
    spell(Field::kFlag, "parity", kParity),
    spell(Field::kFlag, "read", kReadsAlone),
    spell(Field::kFlag, "multicast::cluster", kMulticast),
    spell(Field::kFlag, "po", kPlusOne),
    spell(Field::kFlag, "xorsign", kXorSign),
    spell(Field::kRounding, "rn", Rounding::kRn),
    spell(Field::kRounding, "rz", Rounding::kRz),
    spell(Field::kRounding, "rm", Rounding::kRm),
    spell(Field::kRounding, "rp", Rounding::kRp),
    spell(Field::kRounding, "rni", Rounding::kRni),
    spell(Field::kRounding, "rzi", Rounding::kRzi),
    spell(Field::kRounding, "rmi", Rounding::kRmi),
    spell(Field::kRounding, "rpi", Rounding::kRpi),
    spell(Field::kRounding, "rna", Rounding::kRna),
    spell(Field::kComparison, "eq", Comparison::kEq),
    spell(Field::kComparison, "ne", Comparison::kNe),
    spell(Field::kComparison, "lt", Comparison::kLt),
    spell(Field::kComparison, "le", Comparison::kLe),
    spell(Field::kComparison, "gt", Comparison::kGt),
    spell(Field::kComparison, "ge", Comparison::kGe),
    spell(Field::kComparison, "lo", Comparison::kLo),
    spell(Field::kComparison, "ls", Comparison::kLs),
    spell(Field::kComparison, "hi", Comparison::kHi),
    spell(Field::kComparison, "hs", Comparison::kHs),
    spell(Field::kComparison, "equ", Comparison::kEqu),
    spell(Field::kComparison, "neu", Comparison::kNeu),
    spell(Field::kComparison, "ltu", Comparison::kLtu),
    spell(Field::kComparison, "leu", Comparison::kLeu),
    spell(Field::kComparison, "gtu", Comparison::kGtu),
    spell(Field::kComparison, "geu", Comparison::kGeu),
    spell(Field::kComparison, "num", Comparison::kNum),
    spell(Field::kComparison, "nan", Comparison::kNan),
    spell(Field::kCombination, "and", Combination::kAnd),
    spell(Field::kCombination, "or", Combination::kOr),
    spell(Field::kCombination, "xor", Combination::kXor),
    spell(Field::kVariant, "lo", Variant::kLo),
    spell(Field::kVariant, "hi", Variant::kHi),
    spell(Field::kVariant, "wide", Variant::kWide),
    spell(Field::kVariant, "add", Variant::kAdd),
    spell(Field::kVariant, "min", Variant::kMin),
    spell(Field::kVariant, "max", Variant::kMax),
    spell(Field::kVariant, "inc", Variant::kInc),
    spell(Field::kVariant, "dec", Variant::kDec),
    spell(Field::kVariant, "and", Variant::kAnd),
    spell(Field::kVariant, "or", Variant::kOr),
    spell(Field::kVariant, "xor", Variant::kXor),
    spell(Field::kVariant, "exch", Variant::kExch),
    spell(Field::kVariant, "cas", Variant::kCas),
    spell(Field::kVariant, "popc", Variant::kPopc),
    spell(Field::kVariant, "all", Variant::kAll),
    spell(Field::kVariant, "any", Variant::kAny),
    spell(Field::kVariant, "uni", Variant::kUni),
    spell(Field::kVariant, "ballot", Variant::kBallot),
    spell(Field::kVariant, "up", Variant::kUp),
    spell(Field::kVariant, "down", Variant::kDown),
    spell(Field::kVariant, "bfly", Variant::kBfly),
    spell(Field::kVariant, "idx", Variant::kIdx),
    spell(Field::kVariant, "l", Variant::kLeft),
    spell(Field::kVariant, "r", Variant::kRight),
    spell(Field::kVariant, "f4e", Variant::kF4e),
    spell(Field::kVariant, "b4e", Variant::kB4e),
    spell(Field::kVariant, "rc8", Variant::kRc8),
    spell(Field::kVariant, "ecl", Variant::kEcl),
    spell(Field::kVariant, "ecr", Variant::kEcr),
    spell(Field::kVariant, "rc16", Variant::kRc16),
    spell(Field::kVariant, "finite", Variant::kFinite),
    spell(Field::kVariant, "infinite", Variant::kInfinite),
    spell(Field::kVariant, "number", Variant::kNumber),
    spell(Field::kVariant, "notanumber", Variant::kNotANumber),
    spell(Field::kVariant, "normal", Variant::kNormal),
    spell(Field::kVariant, "subnormal", Variant::kSubnormal),
    spell(Field::kVariant, "1d", Variant::kOneD),
    spell(Field::kVariant, "2d", Variant::kTwoD),
    spell(Field::kVariant, "3d", Variant::kThreeD),
    spell(Field::kVariant, "a1d", Variant::kLayeredOneD),
    spell(Field::kVariant, "a2d", Variant::kLayeredTwoD),
    spell(Field::kVariant, "cube", Variant::kCube),
    spell(Field::kVariant, "acube", Variant::kLayeredCube),
    spell(Field::kComponent, "r", Component::kRed),
    spell(Field::kComponent, "g", Component::kGreen),
    spell(Field::kComponent, "b", Component::kBlue),
    spell(Field::kComponent, "a", Component::kAlpha),
    spell(Field::kVariant, "L1", Variant::kL1),
    spell(Field::kVariant, "L2", Variant::kL2),
    spell(Field::kVariant, "abs", Variant::kAbsolute),
    spell(Field::kVariant, "shr7", Variant::kShr7),
    spell(Field::kVariant, "shr15", Variant::kShr15),
    spell(Field::kVariant, "a", Variant::kMatrixA),
    spell(Field::kVariant, "b", Variant::kMatrixB),
    spell(Field::kVariant, "c", Variant::kMatrixC),
    spell(Field::kVariant, "d", Variant::kMatrixD),
    spell(Field::kShape, "m16n16k16", Shape::kM16n16k16),
    spell(Field::kShape, "m32n8k16", Shape::kM32n8k16),
    spell(Field::kShape, "m8n32k16", Shape::kM8n32k16),
    spell(Field::kShape, "m16n16k8", Shape::kM16n16k8),
    spell(Field::kShape, "m8n8k4", Shape::kM8n8k4),
    spell(Field::kShape, "m8n8k16", Shape::kM8n8k16),
    spell(Field::kShape, "m16n8k4", Shape::kM16n8k4),
    spell(Field::kShape, "m16n8k8", Shape::kM16n8k8),
    spell(Field::kShape, "m16n8k16", Shape::kM16n8k16),
    spell(Field::kShape, "m16n8k32", Shape::kM16n8k32),
    spell(Field::kShape, "m8n8", Shape::kM8n8),
    spell(Field::kLayout, "row", Layout::kRows),
    spell(Field::kLayout, "col", Layout::kColumns),
    spell(Field::kOtherLayout, "row", Layout::kRows),
    spell(Field::kOtherLayout, "col", Layout::kColumns),
    spell(Field::kBounds, "wrap", Bounds::kWrap),
    spell(Field::kBounds, "clamp", Bounds::kClamp),
    spell(Field::kBounds, "trap", Bounds::kTrap),
    spell(Field::kBounds, "zero", Bounds::kZero),
    spell(Field::kSpace, "global", Space::kGlobal),
    spell(Field::kSpace, "shared", Space::kShared),
    spell(Field::kSpace, "shared::cta", Space::kShared),
    {Field::kSpace, "shared::cluster", static_cast<std::uint32_t>(Space::kShared) | kAnyBlock},
    spell(Field::kSpace, "local", Space::kLocal),
    spell(Field::kSpace, "const", Space::kConst),
    spell(Field::kSpace, "param", Space::kParam),
    spell(Field::kSpace, "param::entry", Space::kParam),
    spell(Field::kSpace, "param::func", Space::kParam),
    spell(Field::kOrdering, "weak", Ordering::kWeak),
    spell(Field::kOrdering, "volatile", Ordering::kVolatile),
    spell(Field::kOrdering, "relaxed", Ordering::kRelaxed),
    spell(Field::kOrdering, "acquire", Ordering::kAcquire),
    spell(Field::kOrdering, "release", Ordering::kRelease),
    spell(Field::kOrdering, "acq_rel", Ordering::kAcqRel),
    spell(Field::kOrdering, "sc", Ordering::kSc),
    spell(Field::kScope, "cta", Scope::kCta),
    spell(Field::kScope, "cluster", Scope::kCluster),
    spell(Field::kScope, "gpu", Scope::kGpu),
    spell(Field::kScope, "gl", Scope::kGpu),
    spell(Field::kScope, "sys", Scope::kSys),
    spell(Field::kCache, "ca", CacheOperator::kCa),
    spell(Field::kCache, "cg", CacheOperator::kCg),
    spell(Field::kCache, "cs", CacheOperator::kCs),
    spell(Field::kCache, "lu", CacheOperator::kLu),
    spell(Field::kCache, "cv", CacheOperator::kCv),
    spell(Field::kCache, "wb", CacheOperator::kWb),
    spell(Field::kCache, "wt", CacheOperator::kWt),
    spell(Field::kEviction, "L1::evict_normal", Eviction::kNormal),
    spell(Field::kEviction, "L1::evict_unchanged", Eviction::kUnchanged),
    spell(Field::kEviction, "L1::evict_first", Eviction::kFirst),
    spell(Field::kEviction, "L1::evict_last", Eviction::kLast),
    spell(Field::kEviction, "L1::no_allocate", Eviction::kNoAllocate),
    spell(Field::kPrefetch, "L2::64B", Prefetch::k64B),
    spell(Field::kPrefetch, "L2::128B", Prefetch::k128B),
    spell(Field::kPrefetch, "L2::256B", Prefetch::k256B),
    spell(Field::kWidth, "v2", 2),
    spell(Field::kWidth, "v4", 4),
    spell(Field::kWidth, "1d", 1),
    spell(Field::kWidth, "2d", 2),
    spell(Field::kWidth, "3d", 3),
    spell(Field::kWidth, "4d", 4),
    spell(Field::kWidth, "5d", 5),
    spell(Field::kWidth, "x1", 1),
    spell(Field::kWidth, "x2", 2),
    spell(Field::kWidth, "x4", 4),
};

}  // namespace

bool value_of(Field field, std::string_view word, std::uint32_t& value) {
  value = 0;
  switch (field) {
    case Field::kLiteral:
      return true;
    case Field::kType:
    case Field::kSource:
    case Field::kOther:
      value = static_cast<std::uint32_t>(type_of(word));
      return value != 0;
    default:
      for (const Spelling& known : kSpellings) {
        if (known.field != field || known.text != word) continue;
        value = known.value;
        return true;
      }
      if (field != Field::kShape) return false;
      value = group_shape(word);
      return value != 0;
  }
}

void set(Statement& statement, Field field, std::uint32_t value) {
  switch (field) {
    case Field::kLiteral:
      return;
    case Field::kFlag:
      statement.flags = statement.flags | value;
      return;
    case Field::kType:
      statement.type = static_cast<Type>(value);
      return;
    case Field::kSource:
      statement.source_type = static_cast<Type>(value);
      return;
    case Field::kOther:
      statement.other_type = static_cast<Type>(value);
      return;
    case Field::kRounding:
      statement.rounding = static_cast<Rounding>(value);
      return;
    case Field::kComparison:
      statement.comparison = static_cast<Comparison>(value);
      return;
    case Field::kCombination:
      statement.combination = static_cast<Combination>(value);
      return;
    case Field::kVariant:
      statement.variant = static_cast<Variant>(value);
      return;
    case Field::kComponent:
      statement.component = static_cast<Component>(value);
      break;
    case Field::kShape:
      statement.shape = static_cast<Shape>(value);
      return;
    case Field::kLayout:
      statement.layout = static_cast<Layout>(value);
      return;
    case Field::kOtherLayout:
      statement.other_layout = static_cast<Layout>(value);
      return;
    case Field::kBounds:
      statement.bounds = static_cast<Bounds>(value);
      return;
    case Field::kSpace:
      statement.space = static_cast<Space>(value & ~std::uint32_t{kAnyBlock});
      statement.flags |= value & kAnyBlock;
      return;
    case Field::kOrdering:
      statement.ordering = static_cast<Ordering>(value);
      return;
    case Field::kScope:
      statement.scope = static_cast<Scope>(value);
      return;
    case Field::kCache:
      statement.cache = static_cast<CacheOperator>(value);
      return;
    case Field::kEviction:
      statement.eviction = static_cast<Eviction>(value);
      return;
    case Field::kPrefetch:
      statement.prefetch = static_cast<Prefetch>(value);
      return;
    case Field::kWidth:
      statement.width = static_cast<std::uint8_t>(value);
      return;
  }
}

Geometry geometry_of(Variant variant) {
  switch (variant) {
    case Variant::kTwoD:
      return {2, false, false, 2};
    case Variant::kThreeD:
      return {3, false, false, 4};
    case Variant::kLayeredOneD:
      return {1, true, false, 2};
    case Variant::kLayeredTwoD:
      return {2, true, false, 4};
    case Variant::kCube:
      return {3, false, true, 4};
    case Variant::kLayeredCube:
      return {3, true, true, 4};
    default:
      return {};
  }
}

}  // namespace heddle::ptx

namespace heddle::ptx::detail {
namespace {

struct WordSet {
  std::string_view name;
  std::string_view words;
};

constexpr WordSet kSets[] = {
    {"int", "type:u16|u32|u64|s16|s32|s64"},
    {"int32", "type:u32|s32|u64|s64"},
    {"narrow", "type:u16|u32|s16|s32"},
    {"bits", "type:b16|b32|b64"},
    {"plain", "type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"memory", "type:b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"toint", "type:u8|u16|u32|u64|s8|s16|s32|s64"},
    {"ofint", "source:u8|u16|u32|u64|s8|s16|s32|s64"},
    {"rnd", "rounding:rn|rz|rm|rp"},
    {"irnd", "rounding:rni|rzi|rmi|rpi"},
    {"half", "variant:lo|hi"},
    {"half16", "type:f16|f16x2"},
    {"bhalf16", "type:bf16|bf16x2"},
    {"scope", "scope:cta|cluster|gpu|sys"},
    {"sem", "ordering:relaxed|acquire|release|acq_rel"},
    {"redsem", "ordering:relaxed|release"},
    {"shared", "space:global|shared|shared::cta|shared::cluster"},
    {"ldspace", "space:const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"},
    {"stspace", "space:global|local|param|param::func|shared|shared::cta|shared::cluster"},
    {"window", "space:const|global|local|param|shared|shared::cta"},
    {"ldcache", "cache:ca|cg|cs|lu|cv"},
    {"stcache", "cache:wb|cg|cs|wt"},
    {"vec", "width:v2|v4"},
    {"evict", "eviction:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"pre", "prefetch:L2::64B|L2::128B|L2::256B"},
    {"order", "comparison:eq|ne|lt|le|gt|ge"},
    {"uorder", "comparison:eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"forder", "comparison:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"comb", "combination:and|or|xor"},
    {"wmma", "shape:m16n16k16|m32n8k16|m8n32k16"},
    {"layout", "layout:row|col"},
    {"layout2", "other_layout:row|col"},
    {"cta", "shared|shared::cta"},
    {"block", "space:shared|shared::cta"},
    {"cluster", "space:shared|shared::cta|shared::cluster"},
    {"arrival", "shared::cta|shared::cluster"},
    {"tensor", "width:1d|2d|3d|4d|5d"},
    {"reduction", "variant:add|min|max|inc|dec|and|or|xor"},
    {"near", "scope:cta|cluster"},
    {"proxied", "global|shared::cta|shared::cluster"},
    {"priority", "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"},
    {"move", "variant:up|down|bfly|idx"},
    {"result", "type:u32|s32|f32"},
    {"surface", "variant:1d|2d|3d|a1d|a2d"},
};

}  // namespace

std::string_view word_set(std::string_view name) {
  for (const WordSet& set : kSets)
    if (set.name == name) return set.words;
  return group_word_set(name);
}

}  // namespace heddle::ptx::detail
