#pragma once
// A statement is one PTX instruction as the reader decodes it: its words as numbers. The table of forms
// (stimuli/ptx/statements/forms.h) says which fields an opcode uses and what each of its operands is. What an
// SM executes is an Instruction (models/core/kernel/instruction.h); timing_of makes it of a statement.

#include <cstdint>

#include "stimuli/ptx/statements/modifiers.h"
#include "stimuli/ptx/statements/opcode.h"
#include "stimuli/ptx/statements/type.h"

namespace heddle::ptx {

enum class OperandKind : std::uint8_t {
  kNone,       // an optional operand that is absent
  kSink,       // the destination `_`, which drops the result
  kRegister,   // `index` in Function::registers; an address adds `value`; a video instruction selects with it
  kPredicate,  // `index` in Function::predicates
  kImmediate,  // the bits are `value`; an integer is extended to 64 bits by the sign of its type
  kSpecial,    // `index` is a Special; `value` is the number of kEnvironment
  kVector,     // `count` operands from `index` in Function::operands
  kVariable,   // address of Module::variables[index], in its own space, plus `value`
  kLocal,      // address `value` of the function's local memory
  kParameter,  // address `value` of the function's parameter area
};

// An address `[...]` is the operand of its base, with the offset as a signed number of 64 bits in `value`.
struct Operand {
  OperandKind kind = OperandKind::kNone;
  Type type =
      Type::kNone;  // the declared type of a register; the used type of a special register or an immediate
  std::uint8_t count = 0;
  bool negated = false;  // a predicate `!p`
  std::uint32_t index = 0;
  std::uint64_t value = 0;
};
static_assert(sizeof(Operand) == 16);

struct Statement {
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kUnguarded = ~std::uint32_t{0};

  Opcode opcode = Opcode::kRet;
  Type type = Type::kNone;         // of the statement, or of its result if the types differ
  Type source_type = Type::kNone;  // cvt, set, slct (of the selector), tex (of coordinates), products of
                                   // matrices and video instructions (of the first source)
  Type other_type = Type::kNone;   // the same of the second source
  Rounding rounding = Rounding::kNone;
  Comparison comparison = Comparison::kNone;
  Combination combination = Combination::kNone;
  Variant variant = Variant::kNone;
  Bounds bounds = Bounds::kNone;
  Space space = Space::kGeneric;
  Ordering ordering = Ordering::kNone;
  Scope scope = Scope::kNone;
  CacheOperator cache = CacheOperator::kNone;
  Eviction eviction = Eviction::kNone;  // from L1
  Prefetch prefetch = Prefetch::kNone;
  Component component = Component::kRed;
  std::uint8_t width = 1;      // elements of ld, st, tex, suld and sust: 1, 2 or 4; dimensions of a tensor
  bool guard_negated = false;  // @!p
  Shape shape = Shape::kNone;
  Layout layout = Layout::kNone;        // of wmma.load and wmma.store, and of the first source of a product
  Layout other_layout = Layout::kNone;  // of the second source of a product
  std::uint8_t part = 0;                // of wmma.load and wmma.store (stimuli/ptx/statements/matrix.h)
  std::uint16_t form = 0;               // index in forms()
  std::uint16_t operands = 0;           // number of operands with absent ones, which have the kind kNone
  std::uint16_t destinations = 0;       // number of destinations, which come first; of a call its results
  std::uint32_t flags = 0;              // bits of Flag
  std::uint32_t operand = 0;            // index of the first operand in Function::operands
  std::uint32_t guard = kUnguarded;     // predicate
  // bra: statement; call: index in Module::functions, or in Module::prototypes with kIndirect; kPhase: number
  // of the phase
  std::uint32_t target = 0;
  // The statement at which the lanes of a guarded bra reconverge; kNowhere: they do not.
  std::uint32_t reconvergence = kNowhere;
  std::uint32_t line = 0;  // of the text

  bool has(Flag flag) const { return (flags & flag) != 0; }
  bool guarded() const { return guard != kUnguarded; }
};
static_assert(sizeof(Statement) <= 52);

}  // namespace heddle::ptx
