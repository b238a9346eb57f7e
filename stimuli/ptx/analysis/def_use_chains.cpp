#include "stimuli/ptx/analysis/def_use_chains.h"

#include <algorithm>

namespace heddle::ptx {

namespace {

constexpr int kMostNarrowing = 16;  // passes; what is left counts as wide then

// Returns whether the statement needs only the low half of the operand, where `narrow` are the names of which
// only the low half is needed.
bool needs_low_half(const Function& function, const std::vector<bool>& narrow, const Statement& s,
                    std::uint32_t operand) {
  if (operand == address_of(s))
    return s.space == Space::kShared || s.space == Space::kLocal || s.space == Space::kConst;
  switch (s.opcode) {
    case Opcode::kCvt:
      return bytes_of(s.type) <= 4 && !is_float(s.type) && !is_float(s.source_type);
    case Opcode::kMul:
    case Opcode::kMad:
      if (s.variant != Variant::kLo) return false;
      break;
    case Opcode::kShl:
      if (operand != 1) return false;
      break;
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kNeg:
    case Opcode::kMov:
    case Opcode::kSelp:
    case Opcode::kCvta:
      break;
    default:
      return false;
  }
  const Operand& result = function.operands_of(s)[0];
  return result.kind == OperandKind::kRegister && narrow[result.index];
}

}  // namespace

DefUseChains::DefUseChains(const Function& function, const FlowGraph& graph)
    : function_(function),
      graph_(graph),
      registers_(static_cast<std::uint32_t>(function.registers.size())),
      names_(static_cast<std::uint32_t>(registers_ + function.predicates.size())),
      definitions_(names_),
      uses_(names_) {
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    const Statement& s = function.code[i];
    const Operand* const operands = function.operands_of(s);
    for (std::uint32_t j = 0; j < s.operands; ++j) {
      const bool written = j < s.destinations;
      visit(operands[j], [&](std::uint32_t name) {
        if (written && s.opcode != Opcode::kSt)
          definitions_[name].push_back(i);
        else
          uses_[name].push_back(i);
      });
    }
    if (s.guarded()) uses_[registers_ + s.guard].push_back(i);
  }
}

std::uint32_t DefUseChains::name_of(const Operand& operand) const {
  if (operand.kind == OperandKind::kRegister) return operand.index;
  if (operand.kind == OperandKind::kPredicate) return registers_ + operand.index;
  return Graph::kNone;
}

bool DefUseChains::is_wide(std::uint32_t name) const {
  return name < registers_ && bytes_of(function_.registers[name].type) > 4;
}

const Statement* DefUseChains::definition(std::uint32_t name) const {
  if (definitions_[name].size() != 1) return nullptr;
  const Statement& s = function_.code[definitions_[name][0]];
  return s.guarded() ? nullptr : &s;
}

bool DefUseChains::is_kept(std::uint32_t name, std::uint32_t from, std::uint32_t to) const {
  if (definitions_[name].size() <= 1) return true;
  if (graph_.block_of(from) != graph_.block_of(to) || to < from) return false;
  const auto next = std::upper_bound(definitions_[name].begin(), definitions_[name].end(), from);
  return next == definitions_[name].end() || *next >= to;
}

bool DefUseChains::is_kept_for_all(std::uint32_t name, std::uint32_t result) const {
  for (const std::uint32_t use : uses_[result])
    if (!is_kept(name, definitions_[result][0], use)) return false;
  return true;
}

std::uint32_t address_of(const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kAtom:
    case Opcode::kLd:
    case Opcode::kLdmatrix:
    case Opcode::kWmmaLoad:
      return 1;
    case Opcode::kRed:
    case Opcode::kSt:
    case Opcode::kStmatrix:
    case Opcode::kWmmaStore:
      return 0;
    default:
      return Graph::kNone;
  }
}

std::vector<bool> narrow_registers(const Function& function, const DefUseChains& chains) {
  std::vector<bool> narrow(chains.names(), false);
  for (std::uint32_t name = 0; name < chains.registers(); ++name)
    narrow[name] = chains.is_wide(name) && !is_float(function.registers[name].type);
  bool changed = true;
  for (int pass = 0; changed && pass < kMostNarrowing; ++pass) {
    changed = false;
    for (std::uint32_t i = static_cast<std::uint32_t>(function.code.size()); i-- > 0;) {
      const Statement& s = function.code[i];
      for (std::uint32_t j = s.destinations; j < s.operands; ++j)
        chains.visit(function.operands_of(s)[j], [&](std::uint32_t name) {
          if (!narrow[name] || needs_low_half(function, narrow, s, j)) return;
          narrow[name] = false;
          changed = true;
        });
    }
  }
  for (std::uint32_t name = 0; name < chains.registers(); ++name)
    if (!chains.is_read(name)) narrow[name] = false;
  return narrow;
}

}  // namespace heddle::ptx
