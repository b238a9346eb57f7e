#include "stimuli/ptx/steps/uniform_operations.h"

#include <algorithm>

#include "stimuli/ptx/analysis/def_use_chains.h"
#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/schedule/statement_effects.h"

namespace heddle::ptx {
namespace {

// Says which registers can be those of the uniform datapath.
class UniformRegisters {
 public:
  UniformRegisters(const Function& function, bool loads_constants)
      : function_(function),
        loads_constants_(loads_constants),
        graph_(function),
        chains_(function, graph_),
        diverges_(divergent_blocks(function, graph_)),
        is_uniform_(function.registers.size()),
        is_needed_(function.registers.size()) {
    for (std::uint32_t name = 0; name < is_uniform_.size(); ++name) {
      const std::vector<std::uint32_t>& definitions = chains_.definitions(name);
      is_uniform_[name] = !definitions.empty() &&
                          std::all_of(definitions.begin(), definitions.end(),
                                      [this](std::uint32_t statement) { return can_be_uniform(statement); });
    }
    remove_what_reads_others();
    find_needed();
  }

  // Returns whether the statement computes such a register for more than a comparison.
  bool computes(std::uint32_t statement) const {
    const Statement& s = function_.code[statement];
    if (s.destinations != 1) return false;
    const Operand& result = function_.operands_of(s)[0];
    return result.kind == OperandKind::kRegister && is_uniform_[result.index] && is_needed_[result.index];
  }

 private:
  // Returns whether the uniform datapath has the operation, whatever registers it reads.
  bool can_be_uniform(std::uint32_t statement) const {
    const Statement& s = function_.code[statement];
    const Operand* const operands = function_.operands_of(s);
    if (s.guarded() || s.destinations != 1 || operands[0].kind != OperandKind::kRegister ||
        diverges_[graph_.block_of(statement)] || is_float(s.type) || bytes_of(s.type) != 4 ||
        s.has(kCarryOut) || s.has(kSat))
      return false;
    if (is_launch_parameter(function_, s)) return true;
    switch (s.opcode) {
      case Opcode::kMul:
      case Opcode::kMad:
        if (s.variant != Variant::kLo) return false;
        break;
      case Opcode::kAdd:
      case Opcode::kAnd:
      case Opcode::kMov:
      case Opcode::kNot:
      case Opcode::kOr:
      case Opcode::kShl:
      case Opcode::kShr:
      case Opcode::kSub:
      case Opcode::kXor:
        break;
      default:
        return false;
    }
    return std::all_of(operands + 1, operands + s.operands, [this](const Operand& operand) {
      return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kImmediate ||
             is_index_of_block(operand);
    });
  }
  bool is_index_of_block(const Operand& operand) const {
    if (!loads_constants_ || operand.kind != OperandKind::kSpecial) return false;
    const auto special = static_cast<Special>(operand.index);
    return special >= Special::kCtaidX && special <= Special::kCtaidZ;
  }

  // A register is uniform if each statement that writes it reads uniform ones alone.
  void remove_what_reads_others() {
    std::vector<std::uint32_t> removed;
    for (std::uint32_t name = 0; name < is_uniform_.size(); ++name)
      if (!is_uniform_[name]) removed.push_back(name);
    while (!removed.empty()) {
      const std::uint32_t name = removed.back();
      removed.pop_back();
      for (const std::uint32_t statement : chains_.uses(name)) {
        const Statement& s = function_.code[statement];
        if (s.destinations != 1) continue;
        const Operand& result = function_.operands_of(s)[0];
        if (result.kind != OperandKind::kRegister || !is_uniform_[result.index]) continue;
        is_uniform_[result.index] = false;
        removed.push_back(result.index);
      }
    }
  }

  // A register is needed if anything but a comparison or another uniform register reads it, or if a needed
  // one is computed from it.
  void find_needed() {
    std::vector<std::uint32_t> found;
    const auto add = [&](std::uint32_t name) {
      if (is_needed_[name]) return;
      is_needed_[name] = true;
      found.push_back(name);
    };
    for (std::uint32_t name = 0; name < is_uniform_.size(); ++name)
      if (is_uniform_[name] && is_read_elsewhere(name)) add(name);
    while (!found.empty()) {
      const std::uint32_t name = found.back();
      found.pop_back();
      for (const std::uint32_t statement : chains_.definitions(name)) {
        const Statement& s = function_.code[statement];
        for (std::uint32_t i = s.destinations; i < s.operands; ++i)
          if (const Operand& operand = function_.operands_of(s)[i]; operand.kind == OperandKind::kRegister)
            add(operand.index);
      }
    }
  }
  bool is_read_elsewhere(std::uint32_t name) const {
    const std::vector<std::uint32_t>& uses = chains_.uses(name);
    return std::any_of(uses.begin(), uses.end(), [this](std::uint32_t statement) {
      const Statement& s = function_.code[statement];
      const Operand& result = function_.operands_of(s)[0];
      const bool is_uniform =
          s.destinations == 1 && result.kind == OperandKind::kRegister && is_uniform_[result.index];
      return s.opcode != Opcode::kSetp && !is_uniform;
    });
  }

  const Function& function_;
  const bool loads_constants_;
  const FlowGraph graph_;
  const DefUseChains chains_;
  const std::vector<bool> diverges_;  // by block
  std::vector<bool> is_uniform_;      // by register
  std::vector<bool> is_needed_;       // by register: for more than comparisons
};

bool is_of_datapath(Operation operation) {
  return operation == Operation::kMove || operation == Operation::kIntAdd ||
         operation == Operation::kIntMul || operation == Operation::kIntMad;
}

}  // namespace

void move_to_uniform_datapath(const ScheduledFunction& code, bool loads_constants,
                              std::vector<Instruction>& instructions) {
  const UniformRegisters registers(code.function, loads_constants);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < code.folded.size(); ++i) {
    if (code.folded[i]) continue;
    Instruction& instruction = instructions[at++];
    if (is_of_datapath(instruction.operation) && registers.computes(i))
      instruction.operation = Operation::kUniform;
  }
}

}  // namespace heddle::ptx
