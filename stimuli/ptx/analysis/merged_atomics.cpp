#include "stimuli/ptx/analysis/merged_atomics.h"

#include <algorithm>

#include "stimuli/ptx/analysis/divergence.h"

namespace heddle::ptx {
namespace {

bool is_atomic(const Statement& statement) {
  const bool device = statement.space == Space::kGlobal || statement.space == Space::kGeneric;
  return device && (statement.opcode == Opcode::kAtom || statement.opcode == Opcode::kRed);
}

class MergedAtomics {
 public:
  explicit MergedAtomics(const Function& entry)
      : entry_(entry), varies_(divergent_registers(entry, FlowGraph(entry))), read_(entry.registers.size()) {
    for (const Statement& statement : entry.code)
      for (std::uint32_t i = statement.destinations; i < statement.operands; ++i)
        mark_read(entry.operands_of(statement)[i]);
  }

  bool merges(const Statement& statement) const {
    if (!is_atomic(statement)) return false;
    const Operand* const operands = entry_.operands_of(statement);
    const std::uint32_t address = statement.destinations;
    if (is_different(operands[address]) || is_float(statement.type)) return false;
    const bool narrow = bytes_of(statement.type) == 4;
    switch (statement.variant) {
      case Variant::kAdd:
        return narrow || !is_different(operands[address + 1]);
      case Variant::kAnd:
      case Variant::kOr:
      case Variant::kXor:
      case Variant::kMin:
      case Variant::kMax:
      case Variant::kInc:
      case Variant::kDec:
        return narrow && (statement.destinations == 0 || !is_read(operands[0]));
      default:
        return false;
    }
  }

 private:
  void mark_read(const Operand& operand) {
    if (operand.kind == OperandKind::kRegister) read_[operand.index] = true;
    for (std::uint32_t i = 0; operand.kind == OperandKind::kVector && i < operand.count; ++i)
      mark_read(entry_.operands[operand.index + i]);
  }
  bool is_read(const Operand& operand) const {
    return operand.kind == OperandKind::kRegister && read_[operand.index];
  }
  // A special register counts as one that differs, because some do.
  bool is_different(const Operand& operand) const {
    return operand.kind == OperandKind::kSpecial ||
           (operand.kind == OperandKind::kRegister && varies_[operand.index]);
  }

  const Function& entry_;
  const std::vector<bool> varies_;  // by register
  std::vector<bool> read_;          // by register
};

}  // namespace

std::vector<bool> merged_atomics(const Function& entry) {
  std::vector<bool> merged(entry.code.size());
  if (std::none_of(entry.code.begin(), entry.code.end(), is_atomic)) return merged;
  const MergedAtomics rules(entry);
  for (std::size_t i = 0; i < merged.size(); ++i) merged[i] = rules.merges(entry.code[i]);
  return merged;
}

}  // namespace heddle::ptx
