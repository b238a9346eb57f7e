#include "stimuli/ptx/steps/timing.h"

#include <algorithm>

#include "models/core/kernel/copy_groups.h"
#include "stimuli/ptx/analysis/def_use_chains.h"
#include "stimuli/ptx/schedule/statement_effects.h"
#include "stimuli/ptx/statements/group_product.h"
#include "stimuli/ptx/statements/matrix.h"
#include "stimuli/ptx/statements/opcode_table.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kWidestAccess = 16;  // bytes of a lane
constexpr std::uint8_t kMostBankReads = 15;  // of an instruction, see BankCounts

// Matrix products have two common depths (k). The deeper product can take less than twice the time of the
// other one.
void set_depth(std::uint32_t repeats, Instruction& timing) {
  const bool is_wide = timing.operation == Operation::kTensor && repeats % 2 == 0;
  if (is_wide) timing.operation = Operation::kTensorWide;
  timing.tensor_products = static_cast<std::uint8_t>(repeats);
  timing.repeats = static_cast<std::uint8_t>(is_wide ? repeats / 2 : repeats);
}

// The operation of a statement, by its type. It is the same for all types if the opcode does not compute.
struct OperationByType {
  constexpr OperationByType(Operation any = Operation::kNop) : integer(any), single(any), wide(any) {}
  constexpr OperationByType(Operation of_integers, Operation of_floats, Operation of_doubles)
      : integer(of_integers), single(of_floats), wide(of_doubles) {}
  Operation of(Type type) const {
    if (type == Type::kF64) return wide;
    return is_float(type) ? single : integer;
  }
  Operation integer;
  Operation single;  // of floating point of up to 32 bits
  Operation wide;    // of floating point of 64 bits
};

using O = Opcode;
using P = Operation;

// The special function unit approximates reciprocals and roots of 32 bits. A reciprocal of 64 bits starts
// from an approximation, too, and takes less than a division.
constexpr OpcodeTable<OperationByType> kOperationOf({
    {{P::kIntAdd, P::kFloatAdd, P::kDouble}, {O::kAdd, O::kAddc, O::kSub, O::kSubc}},
    {{P::kIntMax, P::kFloatMax, P::kDouble}, {O::kAbs, O::kMax, O::kMin, O::kNeg}},
    {{P::kIntMul, P::kFloatMul, P::kDouble}, {O::kMul, O::kMul24}},
    {{P::kIntMad, P::kFloatFma, P::kDouble}, {O::kDp2a, O::kDp4a, O::kFma, O::kMad, O::kMad24, O::kMadc}},
    {{P::kIntDiv, P::kFloatDiv, P::kDoubleDiv}, {O::kDiv, O::kRem}},
    {{P::kSfu, P::kSfu, P::kDoubleReciprocal}, {O::kRcp}},
    {{P::kSfu, P::kSfu, P::kDoubleDiv}, {O::kRsqrt, O::kSqrt}},
    {{P::kMove, P::kMove, P::kDouble}, {O::kSet, O::kSetp}},
    {{P::kTensor, P::kTensor, P::kTensorDouble}, {O::kMma, O::kWmmaMma}},
    {P::kIntMad, {O::kVmad}},
    {P::kIntMax,
     {O::kSad,       O::kVabsdiff,  O::kVadd,   O::kVmax,   O::kVmin,  O::kVset,  O::kVshl,  O::kVshr,
      O::kVsub,      O::kVabsdiff2, O::kVadd2,  O::kVavrg2, O::kVmax2, O::kVmin2, O::kVset2, O::kVsub2,
      O::kVabsdiff4, O::kVadd4,     O::kVavrg4, O::kVmax4,  O::kVmin4, O::kVset4, O::kVsub4}},
    {P::kSfu, {O::kCos, O::kEx2, O::kLg2, O::kSin, O::kTanh}},
    {P::kConvert, {O::kCvt}},
    {P::kMove, {O::kAnd, O::kBfe, O::kBfi, O::kBfind, O::kBmsk, O::kBrev, O::kClz, O::kCopysign, O::kFns}},
    {P::kMove, {O::kLop3, O::kMov, O::kNot, O::kOr, O::kPopc, O::kPrmt, O::kSelp, O::kShf, O::kShl, O::kShr}},
    {P::kMove, {O::kActivemask, O::kElect, O::kMatch, O::kSlct, O::kSzext, O::kTestp, O::kVote, O::kXor}},
    {P::kMove, {O::kCreatePolicy, O::kCvta, O::kGetctarank, O::kIsspacep, O::kMapa, O::kMbarrierPending}},
    {P::kMove, {O::kPart}},
    {P::kShuffle, {O::kRedux, O::kShfl}},
    {P::kLoad,
     {O::kCopyAsync, O::kLd, O::kLdmatrix, O::kMbarrierTest, O::kMbarrierTry, O::kSuld, O::kTex, O::kTld4,
      O::kWmmaLoad}},
    {P::kStore,
     {O::kBulkAcross, O::kMbarrierInit, O::kMbarrierInvalidate, O::kRedAsync, O::kSt, O::kStAsync,
      O::kStmatrix, O::kSust, O::kWmmaStore}},
    {P::kAtomic,
     {O::kAtom, O::kMbarrierArrive, O::kMbarrierComplete, O::kMbarrierDrop, O::kMbarrierExpect, O::kRed}},
    {P::kBranch, {O::kBra, O::kCall}},
    {P::kExit, {O::kExit, O::kRet, O::kTrap}},
    {P::kBarrier, {O::kBarArrive, O::kBarRed, O::kBarSync}},
    {P::kFence, {O::kFence}},
    {P::kCopyCommit, {O::kCopyCommit}},
    {P::kCopyWait, {O::kCopyWait}},
    {P::kBulkCopy,
     {O::kBulkLoad, O::kBulkReduce, O::kBulkStore, O::kTensorLoad, O::kTensorReduce, O::kTensorStore}},
    {P::kBulkCommit, {O::kBulkCommit}},
    {P::kBulkWait, {O::kBulkWait}},
    {P::kTensorGroup, {O::kWgmmaMma}},
    {P::kProductCommit, {O::kWgmmaCommit}},
    {P::kProductWait, {O::kWgmmaWait}},
    {P::kPhase, {O::kPhase}},
    {P::kNop,
     {O::kBarWarp, O::kBulkPrefetch, O::kClusterArrive, O::kClusterWait, O::kNanosleep, O::kNoEffect,
      O::kPrefetch, O::kSetmaxnreg, O::kTensorPrefetch, O::kWgmmaFence}},
});
static_assert(kOperationOf.is_complete());

// Returns the operation of the statement. The table has it except for some statements of a few opcodes.
Operation operation_of(const Function& function, const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kLd:
    case Opcode::kSt:  // the parameters of a call are in registers
      if (statement.space == Space::kParam && !is_launch_parameter(function, statement))
        return Operation::kMove;
      break;
    case Opcode::kRet:
      if (!function.entry) return Operation::kBranch;
      break;
    case Opcode::kBulkWait:
      if (statement.has(kReadsAlone)) return Operation::kBulkReadWait;
      break;
    case Opcode::kDiv:
      if (is_float(statement.type) && (statement.has(kApprox) || statement.has(kFull)))
        return Operation::kFloatDivApprox;
      break;
    case Opcode::kRcp:
    case Opcode::kRsqrt:
    case Opcode::kSqrt:  // an exactly rounded one of 32 bits counts as a division
      if (statement.type != Type::kF64 && statement.rounding != Rounding::kNone) return Operation::kFloatDiv;
      break;
    case Opcode::kSet:
    case Opcode::kSetp:
      if (statement.source_type == Type::kF64) return Operation::kDouble;
      break;
    default:
      break;
  }
  return kOperationOf[statement.opcode].of(statement.type);
}

bool samples(const Statement& statement) {
  return statement.opcode == Opcode::kTex || statement.opcode == Opcode::kTld4;
}

// Returns the bytes of a lane's access.
std::uint32_t access_bytes(const Function& function, const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kCopyAsync:
      return static_cast<std::uint32_t>(function.operands_of(statement)[2].value);
    case Opcode::kTex:
    case Opcode::kTld4:
      // The size of a texel is known only at launch, so a texture access counts one channel.
      return bytes_of(statement.type);
    case Opcode::kBulkAcross:
      return kWidestAccess;
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
      return kMatrixRowBytes;
    case Opcode::kWmmaLoad:
    case Opcode::kWmmaStore:
      return access_of(statement, info_of(statement, Fragment::kNamed), statement.part).bytes;
    default:
      return bytes_of(statement.type) * statement.width;
  }
}

// cp.async.wait_group N, cp.async.bulk.wait_group N and wgmma.wait_group N do not wait for the N newest
// closed groups, nor for the open one.
std::uint8_t groups_left(const Function& function, const Statement& statement) {
  if (statement.operands == 0) return 0;
  const std::uint64_t closed = function.operands_of(statement)[0].value;
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(closed, CopyGroups::kGroups - 1) + 1);
}

// A generic access counts as global until its address is known.
MemorySpace space_of(const Statement& statement) {
  if (samples(statement)) return MemorySpace::kTexture;
  if (is_mbarrier(statement.opcode)) return MemorySpace::kShared;
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

// Returns whether the statement may change device memory or the heap of the device, or may print. A generic
// access may be an access to device memory. A call may reach malloc, free or printf. So may a return or an
// exit in a function, if other lanes of the warp have called another function from the same place by its
// address and their call follows now.
bool changes_what_blocks_share(const Function& function, const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kRed:
    case Opcode::kWmmaStore:
      return statement.space != Space::kShared && statement.space != Space::kLocal &&
             statement.space != Space::kParam;
    case Opcode::kBulkReduce:
    case Opcode::kBulkStore:
    case Opcode::kTensorReduce:
    case Opcode::kTensorStore:
    case Opcode::kSust:
    case Opcode::kCall:
      return true;
    case Opcode::kRet:
    case Opcode::kExit:
      return !function.entry;
    default:
      return false;
  }
}

// Returns whether another warp of the block may go on after the statement, which waited: for a phase of a
// barrier object, at the barrier of the cluster, for registers, or for products of its warpgroup. A box that
// lies outside of its tensor is complete when its copy issues.
bool may_end_wait(const Function& function, const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kBulkAcross:
    case Opcode::kClusterArrive:
    case Opcode::kMbarrierArrive:
    case Opcode::kMbarrierComplete:
    case Opcode::kMbarrierDrop:
    case Opcode::kMbarrierExpect:
    case Opcode::kRedAsync:
    case Opcode::kSetmaxnreg:
    case Opcode::kStAsync:
    case Opcode::kTensorLoad:
    case Opcode::kWgmmaMma:
      return true;
    case Opcode::kExit:
    case Opcode::kRet:
      return std::any_of(function.code.begin(), function.code.end(),
                         [](const Statement& other) { return other.opcode == Opcode::kClusterWait; });
    default:
      return false;
  }
}

// Returns whether compilers put the address of the access into no register of the register file: ptxas 13.0
// for sm_80 to sm_120 does so for accesses of shared memory at a constant address. It puts addresses of
// global memory into registers of the register file also if all lanes have the same one.
bool has_uniform_address(const Function& function, const Statement& statement, const Instruction& timing) {
  if (statement.space != Space::kShared) return false;
  if (statement.opcode == Opcode::kLd && timing.register_reads == 0) return true;
  return (statement.opcode == Opcode::kLd || statement.opcode == Opcode::kSt) &&
         function.operands_of(statement)[address_of(statement)].kind != OperandKind::kRegister;
}

class Registers {
 public:
  Registers(const Function& function, const PhysicalRegisters& physical, Instruction& timing)
      : function_(function), physical_(physical), timing_(timing) {}

  void add(const Operand& operand, bool written) {
    if (operand.kind == OperandKind::kVector)
      for (std::uint32_t i = 0; i < operand.count; ++i) add(function_.operands[operand.index + i], written);
    if (operand.kind == OperandKind::kPredicate) predicate(operand.index, written);
    if (operand.kind == OperandKind::kRegister) whole(operand.index, written);
  }

  // Adds a register or a predicate by its name as in Liveness.
  void named(std::uint32_t name, bool written) {
    const auto registers = static_cast<std::uint32_t>(function_.registers.size());
    if (name < registers)
      whole(name, written);
    else
      predicate(name - registers, written);
  }

  void predicate(std::uint32_t index, bool written) {
    if (!has_room(written)) return;
    if (written)
      timing_.writes_predicate(physical_.predicates[index]);
    else
      timing_.reads_predicate(physical_.predicates[index]);
  }

 private:
  void whole(std::uint32_t index, bool written) {
    const RegisterId first = physical_.registers[index];
    one(first, written);
    if (bits_of(function_.registers[index].type) == 64) one(static_cast<RegisterId>(first + 1), written);
  }
  // Only calls name more registers than an instruction holds. The scoreboard ignores the registers beyond.
  bool has_room(bool written) const {
    return written ? timing_.destinations().size() < Instruction::kMostDestinations
                   : timing_.sources().size() < Instruction::kMostSources;
  }
  void one(RegisterId id, bool written) {
    if (!has_room(written)) return;
    if (written)
      timing_.writes(id);
    else if (timing_.register_reads < kMostBankReads)
      timing_.reads(id);
    else
      read_in_no_bank(id);
  }
  // A bank counts few reads, so the operand collector does not see the further ones of a product of matrices.
  void read_in_no_bank(RegisterId id) {
    timing_.reads_predicate(id);
    ++timing_.register_reads;
  }

  const Function& function_;
  const PhysicalRegisters& physical_;
  Instruction& timing_;
};

// Adds the registers that a product of a warpgroup reads when it issues. Those of d are not among them: the
// tensor unit reads and writes them later, and programs wait for them with wgmma.wait_group alone.
void add_group_sources(const Function& function, const Statement& statement, const InstructionForm* form,
                       Registers& registers) {
  const Operand* const operands = function.operands_of(statement);
  if (form == nullptr) {
    for (const GroupOperand operand : {kMatrixA, kMatrixB, kScaleSum})
      registers.add(operands[operand], false);
    if (statement.guarded()) registers.predicate(statement.guard, false);
    return;
  }
  const auto first = function.operands.begin() + operands[kSum].index;
  const auto last = first + operands[kSum].count;
  for (const std::uint32_t name : form->reads)
    if (std::none_of(first, last, [name](const Operand& of_sum) { return of_sum.index == name; }))
      registers.named(name, false);
}

}  // namespace

Instruction timing_of(const Function& function, const Statement& statement, const InstructionForm* form,
                      const PhysicalRegisters& physical, std::uint32_t pc) {
  Instruction timing;
  timing.pc = pc;
  timing.operation =
      form != nullptr && form->operation ? *form->operation : operation_of(function, statement);
  if (statement.opcode == Opcode::kPhase) timing.phase = static_cast<std::uint8_t>(statement.target);
  if (is_memory(timing.operation)) {
    timing.space = space_of(statement);
    timing.bytes = static_cast<std::uint8_t>(access_bytes(function, statement));
    timing.bypass_l1 = statement.cache == CacheOperator::kCg || statement.cache == CacheOperator::kCv ||
                       statement.ordering == Ordering::kVolatile || statement.opcode == Opcode::kSuld ||
                       statement.opcode == Opcode::kSust;
  }
  timing.spills = statement.has(kSpill);
  timing.takes_turns = changes_what_blocks_share(function, statement);
  timing.asynchronous = statement.opcode == Opcode::kCopyAsync;
  if (statement.opcode == Opcode::kCopyWait || statement.opcode == Opcode::kBulkWait ||
      statement.opcode == Opcode::kWgmmaWait)
    timing.copy_groups = groups_left(function, statement);
  timing.signals = may_end_wait(function, statement);
  timing.awaits = statement.opcode == Opcode::kMbarrierTry || statement.opcode == Opcode::kClusterWait ||
                  statement.opcode == Opcode::kSetmaxnreg || statement.opcode == Opcode::kWgmmaWait;
  Registers registers(function, physical, timing);
  if (statement.opcode == Opcode::kWgmmaMma) {
    timing.repeats = static_cast<std::uint8_t>(group_repeats(function, statement));
    timing.tensor_products = static_cast<std::uint8_t>(group_products(statement));
    add_group_sources(function, statement, form, registers);
    return timing;
  }
  if (is_matrix_product(statement.opcode)) set_depth(tensor_repeats(statement), timing);
  if (form != nullptr) {
    for (const std::uint32_t name : form->writes) registers.named(name, true);
    for (const std::uint32_t name : form->reads) registers.named(name, false);
    for (const ConstantAddress address : form->constants) timing.reads_constant(address);
    timing.uniform_address = has_uniform_address(function, statement, timing);
    return timing;
  }
  const Operand* const operands = function.operands_of(statement);
  for (std::uint32_t i = 0; i < statement.operands; ++i)
    registers.add(operands[i], i < statement.destinations);
  if (statement.guarded()) registers.predicate(statement.guard, false);
  timing.uniform_address = has_uniform_address(function, statement, timing);
  return timing;
}

}  // namespace heddle::ptx
