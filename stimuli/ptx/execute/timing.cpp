#include "stimuli/ptx/execute/timing.h"

namespace heddle::ptx {
namespace {

bool is_launch_parameter(const Function& function, const Statement& statement) {
  return function.entry && statement.opcode == Opcode::kLd && statement.space == Space::kParam &&
         function.operands_of(statement)[1].value < function.parameter_bytes;
}

Operation by_type(Type type, Operation integer, Operation single) {
  if (type == Type::kF64) return Operation::kDouble;
  return is_float(type) ? single : integer;
}

Operation division(Type type) {
  if (type == Type::kF64) return Operation::kDoubleDiv;
  return is_float(type) ? Operation::kFloatDiv : Operation::kIntDiv;
}

// The special function unit approximates reciprocals and roots of 32 bits; exactly rounded ones count as
// divisions. A reciprocal of 64 bits starts from an approximation, too, and takes less than a division.
Operation special(const Statement& statement) {
  if (statement.type == Type::kF64)
    return statement.opcode == Opcode::kRcp ? Operation::kDoubleReciprocal : Operation::kDoubleDiv;
  return statement.rounding == Rounding::kNone ? Operation::kSfu : Operation::kFloatDiv;
}

Operation memory(const Function& function, const Statement& statement, Operation operation) {
  if (statement.space != Space::kParam || is_launch_parameter(function, statement)) return operation;
  return Operation::kMove;
}

Operation arithmetic(const Statement& statement) {
  const Type type = statement.type;
  switch (statement.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAddc:
    case Opcode::kSubc:
      return by_type(type, Operation::kIntAdd, Operation::kFloatAdd);
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAbs:
    case Opcode::kNeg:
      return by_type(type, Operation::kIntMax, Operation::kFloatMax);
    case Opcode::kSad:
    case Opcode::kVabsdiff4:
      return Operation::kIntMax;
    case Opcode::kMul:
    case Opcode::kMul24:
      return by_type(type, Operation::kIntMul, Operation::kFloatMul);
    case Opcode::kMad:
    case Opcode::kMadc:
    case Opcode::kMad24:
    case Opcode::kFma:
    case Opcode::kDp2a:
    case Opcode::kDp4a:
      return by_type(type, Operation::kIntMad, Operation::kFloatFma);
    case Opcode::kDiv:
      if (is_float(type) && (statement.has(kApprox) || statement.has(kFull)))
        return Operation::kFloatDivApprox;
      return division(type);
    case Opcode::kRem:
      return division(type);
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
      return special(statement);
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh:
      return Operation::kSfu;
    case Opcode::kSetp:
    case Opcode::kSet:
      return type == Type::kF64 || statement.source_type == Type::kF64 ? Operation::kDouble
                                                                       : Operation::kMove;
    case Opcode::kCvt:
      return Operation::kConvert;
    default:
      return Operation::kMove;
  }
}

Operation operation_of(const Function& function, const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kLd:
      return memory(function, statement, Operation::kLoad);
    case Opcode::kSt:
      return memory(function, statement, Operation::kStore);
    case Opcode::kTex:
    case Opcode::kTld4:
    case Opcode::kSuld:
      return Operation::kLoad;
    case Opcode::kSust:
      return Operation::kStore;
    case Opcode::kAtom:
    case Opcode::kRed:
      return Operation::kAtomic;
    case Opcode::kBra:
    case Opcode::kCall:
      return Operation::kBranch;
    case Opcode::kRet:
      return function.entry ? Operation::kExit : Operation::kBranch;
    case Opcode::kExit:
    case Opcode::kTrap:
      return Operation::kExit;
    case Opcode::kBarSync:
    case Opcode::kBarArrive:
    case Opcode::kBarRed:
      return Operation::kBarrier;
    case Opcode::kFence:
      return Operation::kFence;
    case Opcode::kShfl:
    case Opcode::kRedux:
      return Operation::kShuffle;
    case Opcode::kPrefetch:
    case Opcode::kNanosleep:
    case Opcode::kBarWarp:
      return Operation::kNop;
    case Opcode::kPhase:
      return Operation::kPhase;
    default:
      return arithmetic(statement);
  }
}

bool samples(const Statement& statement) {
  return statement.opcode == Opcode::kTex || statement.opcode == Opcode::kTld4;
}

// A generic access counts as global until its address is known.
MemorySpace space_of(const Statement& statement) {
  if (samples(statement)) return MemorySpace::kTexture;
  switch (statement.space) {
    case Space::kShared:
      return MemorySpace::kShared;
    case Space::kLocal:
      return MemorySpace::kLocal;
    case Space::kConst:
    case Space::kParam:
      return MemorySpace::kConstant;
    default:
      return MemorySpace::kGlobal;
  }
}

class Registers {
 public:
  Registers(const Function& function, const PhysicalRegisters& physical, Instruction& timing)
      : function_(function), physical_(physical), timing_(timing) {}

  void add(const Operand& operand, bool written) {
    if (operand.kind == OperandKind::kVector)
      for (std::uint32_t i = 0; i < operand.count; ++i) add(function_.operands[operand.index + i], written);
    if (operand.kind == OperandKind::kPredicate) predicate(operand.index, written);
    if (operand.kind != OperandKind::kRegister) return;
    const RegisterId first = physical_.registers[operand.index];
    one(first, written);
    if (bits_of(function_.registers[operand.index].type) == 64)
      one(static_cast<RegisterId>(first + 1), written);
  }

  void predicate(std::uint32_t index, bool written) {
    if (!has_room(written)) return;
    if (written)
      timing_.writes_predicate(physical_.predicates[index]);
    else
      timing_.reads_predicate(physical_.predicates[index]);
  }

 private:
  // Only calls name more registers than an instruction holds. The scoreboard ignores the registers beyond.
  bool has_room(bool written) const {
    return written ? timing_.destinations < Instruction::kMostDestinations
                   : timing_.sources < Instruction::kMostSources;
  }
  void one(RegisterId id, bool written) {
    if (!has_room(written)) return;
    if (written)
      timing_.writes(id);
    else
      timing_.reads(id);
  }

  const Function& function_;
  const PhysicalRegisters& physical_;
  Instruction& timing_;
};

}  // namespace

Instruction timing_of(const Function& function, const Statement& statement, const PhysicalRegisters& physical,
                      std::uint32_t pc) {
  Instruction timing;
  timing.pc = pc;
  timing.size = kCodeBytes;
  timing.operation = operation_of(function, statement);
  if (statement.opcode == Opcode::kPhase) timing.phase = static_cast<std::uint8_t>(statement.target);
  if (is_memory(timing.operation)) {
    timing.space = space_of(statement);
    // The size of a texel is known only at launch, so a texture access counts one channel.
    const std::uint32_t elements = samples(statement) ? 1 : statement.width;
    timing.bytes = static_cast<std::uint8_t>(bytes_of(statement.type) * elements);
    timing.bypass_l1 = statement.cache == CacheOperator::kCg || statement.cache == CacheOperator::kCv ||
                       statement.ordering == Ordering::kVolatile || statement.opcode == Opcode::kSuld ||
                       statement.opcode == Opcode::kSust;
  }
  Registers registers(function, physical, timing);
  const Operand* const operands = function.operands_of(statement);
  for (std::uint32_t i = 0; i < statement.operands; ++i)
    registers.add(operands[i], i < statement.destinations);
  if (statement.guarded()) registers.predicate(statement.guard, false);
  return timing;
}

}  // namespace heddle::ptx
