#include "stimuli/ptx/analysis/machine_code.h"

#include <algorithm>
#include <map>
#include <utility>

#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/analysis/operation_costs.h"

namespace heddle::ptx {
namespace {

class Emitter {
 public:
  Emitter(const Function& function, const FlowGraph& graph, Constants constants)
      : function_(function), graph_(graph), folding_(function, graph, constants) {}

  MachineCode emit() {
    code_.name = function_.name;
    code_.line = function_.line;
    for (std::uint32_t name = 0; name < folding_.chains().names(); ++name)
      code_.units.push_back(folding_.units(name));
    for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
      code_.blocks.emplace_back();
      constants_.clear();
      for (std::uint32_t i = graph_.blocks()[block].first; i < graph_.blocks()[block].end; ++i) emit(i);
      for (const std::uint32_t next : graph_.graph().successors(block))
        if (next != graph_.exit()) code_.blocks.back().successors.push_back(next);
    }
    return std::move(code_);
  }

 private:
  using Constant = std::pair<std::uint32_t, std::uint64_t>;  // kind of operand, value
  static constexpr std::uint32_t kScale = 64;                // kind of a constant that scales an index
  static constexpr std::uint32_t kCopied = 32;               // added to the kind of a constant in a register

  const Operand* operands(const Statement& s) const { return function_.operands_of(s); }

  // Returns whether the operations that read the results take something else.
  bool is_folded(const Statement& s) const {
    if (s.guarded() || s.destinations == 0) return false;
    if (s.opcode == Opcode::kLd && s.space != Space::kParam && s.space != Space::kConst) return false;
    bool any = false;
    bool all = true;
    folding_.chains().visit(operands(s)[0], [&](std::uint32_t name) {
      any = true;
      all = all && (folding_.alias(name) != name || folding_.scaled(name) != Graph::kNone);
    });
    return any && all;
  }

  void emit(std::uint32_t statement) {
    const Statement& s = function_.code[statement];
    if (is_folded(s)) return;
    MachineOperation made;
    made.statement = statement;
    if (s.guarded()) read(made, static_cast<std::uint32_t>(function_.registers.size()) + s.guard);
    for (std::uint32_t j = s.destinations; j < s.operands; ++j)
      folding_.chains().visit(operands(s)[j], [&](std::uint32_t name) { read(made, name); });
    const bool all = s.opcode != Opcode::kTex &&
                     s.opcode != Opcode::kTld4;  // A texture unit writes only the elements that are read.
    for (std::uint32_t j = 0; j < s.destinations; ++j)
      folding_.chains().visit(operands(s)[j], [&](std::uint32_t name) {
        if (all || folding_.chains().is_read(name)) made.writes.push_back(folding_.renamed(name));
      });
    if (s.opcode == Opcode::kMov && made.reads == made.writes) return;
    describe(s, made);
    bool used = made.writes.empty() || made.memory != MachineOperation::Memory::kNone;
    for (const std::uint32_t name : made.writes) used = used || folding_.chains().is_read(name);
    if (!used) return;
    if (made.calls) constants_.clear();  // Constants are made again rather than kept across a routine.
    hold_constants(s, made);
    if (made.calls) constants_.clear();
    code_.blocks.back().operations.push_back(std::move(made));
  }

  void read(MachineOperation& made, std::uint32_t name) const {
    if (folding_.scaled(name) != Graph::kNone) name = folding_.scaled(name);
    std::uint32_t value = folding_.alias(name);
    if (value == OperandFolding::kFree) {
      if (const auto constant = folding_.constant_of(name)) made.constants.push_back(*constant);
      return;
    }
    value = folding_.renamed(value);
    if (std::find(made.reads.begin(), made.reads.end(), value) == made.reads.end())
      made.reads.push_back(value);
  }

  void describe(const Statement& s, MachineOperation& made) const {
    const OperationCosts costs = costs_of(s);
    made.latency = costs.latency;
    made.temporaries = costs.temporaries;
    made.calls = costs.calls;
    made.keeps_old = s.guarded() && s.opcode != Opcode::kBra;
    made.ends_block = s.opcode == Opcode::kBra || s.opcode == Opcode::kRet || s.opcode == Opcode::kExit;
    made.compares = s.opcode == Opcode::kSetp;
    made.steps = s.opcode == Opcode::kAdd && !is_float(s.type) && made.reads.size() == 1 &&
                 made.writes.size() == 1 && made.reads[0] == made.writes[0] &&
                 operands(s)[2].kind == OperandKind::kImmediate;
    if (made.steps) made.offset = operands(s)[2].value;
    made.memory = memory_of(s);
    const std::uint32_t address = address_of(s);
    if (address == Graph::kNone || made.memory == MachineOperation::Memory::kNone) return;
    made.space = s.space;
    made.read_only = s.has(kReadOnly) || s.space == Space::kConst;
    made.bytes = bytes_of(s.type) * s.width;
    const OperandFolding::Place place = folding_.place_of(operands(s)[address]);
    made.base = place.base;
    made.offset = place.offset;
  }

  static MachineOperation::Memory memory_of(const Statement& s) {
    if (orders_block(s.opcode)) return MachineOperation::Memory::kFence;
    switch (s.opcode) {
      case Opcode::kLd:
      case Opcode::kSt:
        if (s.space == Space::kParam) return MachineOperation::Memory::kNone;
        if (s.ordering == Ordering::kVolatile) return MachineOperation::Memory::kFence;
        return s.opcode == Opcode::kLd ? MachineOperation::Memory::kLoad : MachineOperation::Memory::kStore;
      case Opcode::kLdmatrix:
      case Opcode::kWmmaLoad:
        return MachineOperation::Memory::kLoad;
      case Opcode::kAtom:
      case Opcode::kRed:
      case Opcode::kBarArrive:
      case Opcode::kBarRed:
      case Opcode::kBarSync:
      case Opcode::kFence:
      case Opcode::kCall:
      case Opcode::kCopyAsync:
      case Opcode::kCopyCommit:
      case Opcode::kCopyWait:
      case Opcode::kStmatrix:
      case Opcode::kWgmmaCommit:
      case Opcode::kWgmmaFence:
      case Opcode::kWgmmaMma:
      case Opcode::kWgmmaWait:
      case Opcode::kWmmaStore:
        return MachineOperation::Memory::kFence;
      default:
        return MachineOperation::Memory::kNone;
    }
  }

  // Returns how many constants an operation takes as operands.
  static std::uint32_t constants_of(const Statement& s) {
    switch (s.opcode) {
      case Opcode::kSt:
      case Opcode::kAtom:
      case Opcode::kRed:
      case Opcode::kShfl:
      case Opcode::kTex:
      case Opcode::kTld4:
      case Opcode::kSuld:
        return s.space == Space::kParam && s.opcode == Opcode::kSt ? s.operands : 0U;
      case Opcode::kLd:
        return s.space == Space::kParam ? s.operands : 0U;
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kMul:
      case Opcode::kMad:
      case Opcode::kFma:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor:
      case Opcode::kShl:
      case Opcode::kShr:
      case Opcode::kMin:
      case Opcode::kMax:
      case Opcode::kSetp:
      case Opcode::kSet:
      case Opcode::kSelp:
      case Opcode::kSlct:
      case Opcode::kDiv:
      case Opcode::kRem:
        return 1;
      default:
        return s.operands;
    }
  }

  // Puts the constants that the operation cannot take as operands into registers.
  void hold_constants(const Statement& s, MachineOperation& made) {
    const std::uint32_t address = address_of(s);
    std::uint32_t allowed = constants_of(s);
    std::vector<Constant> used;
    const auto hold = [&](const Operand& operand, bool is_address) {
      std::uint8_t units = 0;
      Constant constant;
      if (!constant_of(operand, is_address, units, constant)) return;
      if (is_address && (s.space == Space::kShared || s.space == Space::kConst)) units = 1;
      if (std::find(used.begin(), used.end(), constant) != used.end()) return;
      used.push_back(constant);
      if (!is_address && allowed > 0)
        --allowed;
      else
        made.reads.push_back(in_register(constant, units, made.statement));
    };
    for (std::uint32_t j = s.destinations; j < s.operands; ++j) {
      const Operand& operand = operands(s)[j];
      if (s.opcode == Opcode::kShfl && j > s.destinations) break;
      if (operand.kind != OperandKind::kVector) hold(operand, j == address && s.space != Space::kParam);
      for (std::uint32_t i = 0; operand.kind == OperandKind::kVector && i < operand.count; ++i)
        hold(function_.operands[operand.index + i], false);
      if (s.opcode == Opcode::kAdd && units_of(operands(s)[0]) == 2) hold_scale(operand, made);
    }
  }
  std::uint8_t units_of(const Operand& result) const {
    return result.kind == OperandKind::kRegister ? folding_.units(result.index) : std::uint8_t{0};
  }
  // An index is multiplied and added in two operations, and the second one takes the size from a register.
  void hold_scale(const Operand& operand, MachineOperation& made) {
    if (operand.kind != OperandKind::kRegister || folding_.scaled(operand.index) == Graph::kNone) return;
    const std::uint64_t scale = folding_.scale_of(operand.index);
    if (scale <= 1) return;
    made.reads.push_back(in_register({kScale, scale}, 1, made.statement));
    // The first operation writes the low half of the sum while the second one has yet to read. The low half
    // of an addend in a register is free by then, that of a parameter is not in a register.
    made.in_halves = made.reads.size() == 2;
    if (made.in_halves) made.temporaries = 1;
  }

  // Sets the constant of an operand and its registers of 32 bits. Returns false if the operand is no
  // constant, or one that operations take without a register: 0, or an address without a parameter.
  bool constant_of(const Operand& operand, bool is_address, std::uint8_t& units, Constant& constant) const {
    const auto is_zero = [](const Operand& o) { return o.kind == OperandKind::kImmediate && o.value == 0; };
    if (!folding_.is_constant(operand) || is_zero(operand)) return false;
    units = bytes_of(operand.type) > 4 ? 2 : 1;
    constant = {static_cast<std::uint32_t>(operand.kind), operand.value + operand.index};
    if (operand.kind != OperandKind::kRegister) return !is_address;
    if (is_address && !folding_.is_parameter(operand.index)) return false;
    if (folding_.is_narrow(operand.index)) units = 1;
    const std::uint32_t from = folding_.root(operand.index);
    constant.second = from;
    const Statement* s = folding_.chains().definition(from);
    if (s == nullptr || s->opcode == Opcode::kLd) return true;
    const Operand& source = operands(*s)[1];
    if (is_zero(source)) return false;
    constant = {static_cast<std::uint32_t>(source.kind) + kCopied, source.value + source.index};
    return true;
  }

  // Returns the register that holds a constant from its first use in the block on.
  std::uint32_t in_register(const Constant& constant, std::uint8_t units, std::uint32_t statement) {
    const auto [at, fresh] = constants_.emplace(constant, static_cast<std::uint32_t>(code_.units.size()));
    if (fresh) {
      code_.units.push_back(units);
      MachineOperation move;
      move.writes = {at->second};
      move.statement = statement;
      move.latency = OperationCosts{}.latency;
      code_.blocks.back().operations.push_back(std::move(move));
    }
    return at->second;
  }

  const Function& function_;
  const FlowGraph& graph_;
  const OperandFolding folding_;
  MachineCode code_;
  std::map<Constant, std::uint32_t> constants_;  // those in registers in the present block
};

}  // namespace

MachineCode machine_code(const Function& function, const FlowGraph& graph, Constants constants) {
  return Emitter(function, graph, constants).emit();
}

}  // namespace heddle::ptx
