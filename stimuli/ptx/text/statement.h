#pragma once
// A statement is one PTX instruction as the reader decodes it: its words as numbers. The table of forms
// (stimuli/ptx/text/forms.h) says which fields an opcode uses and what each of its operands is. What an SM
// executes is an Instruction (models/core/kernel/instruction.h); timing_of makes it of a statement.

#include <cstdint>

#include "stimuli/ptx/text/modifiers.h"
#include "stimuli/ptx/text/opcode.h"
#include "stimuli/ptx/text/type.h"

namespace heddle::ptx {

enum class OperandKind : std::uint8_t {
  kNone,       // an optional operand that is not there
  kSink,       // a destination `_`
  kRegister,   // `index`: of Function::registers; in an address, plus `value`
  kPredicate,  // `index`: of Function::predicates
  kImmediate,  // `value`: its bits, integers narrower than 64 bits extended by the sign of their type
  kSpecial,    // `index`: a Special, of kEnvironment the number in `value`
  kVector,     // `count` operands from `index` in Function::operands
  kVariable,   // address of Module::variables[index], in its own space, plus `value`
  kLocal,      // address `value` of the function's local memory
  kParameter,  // address `value` of the function's parameter area
};

// An address `[...]` is its base's operand, with the offset added as a signed number of 64 bits.
struct Operand {
  OperandKind kind = OperandKind::kNone;
  Type type = Type::kNone;  // registers: as declared; special registers and immediates: as used
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
  Type type = Type::kNone;         // the instruction's, or of its result where they differ
  Type source_type = Type::kNone;  // cvt, set, slct (of the selector), tex (of coordinates), vabsdiff4
  Type other_type = Type::kNone;   // vabsdiff4: of its second source
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
  std::uint8_t width = 1;            // ld, st, tex, sust: elements, 1, 2 or 4
  bool guard_negated = false;        // @!p
  std::uint16_t flags = 0;           // of Flag
  std::uint16_t form = 0;            // of forms()
  std::uint16_t operands = 0;        // their number; absent optional ones count, with kind kNone
  std::uint16_t destinations = 0;    // the first so many; of a call those that take what it returns
  std::uint32_t operand = 0;         // the first, in Function::operands
  std::uint32_t guard = kUnguarded;  // predicate
  std::uint32_t target = 0;          // bra: instruction; call: of Module::functions
  // bra with a guard: the instruction where the lanes meet again; kNowhere: only by ending.
  std::uint32_t reconvergence = kNowhere;
  std::uint32_t line = 0;  // of the text

  bool has(Flag flag) const { return (flags & flag) != 0; }
  bool guarded() const { return guard != kUnguarded; }
};
static_assert(sizeof(Statement) <= 52);

}  // namespace heddle::ptx
