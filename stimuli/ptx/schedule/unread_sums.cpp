#include "stimuli/ptx/schedule/unread_sums.h"

#include <set>

#include "stimuli/ptx/statements/group_product.h"

namespace heddle::ptx {
namespace {

// Goes through the statements of a basic block from its end.
class UnreadSums {
 public:
  UnreadSums(const Function& function, const OperandFolding& folding)
      : function_(function), folding_(folding) {}

  // Returns whether the statement is a copy that is not read. Remembers what it reads and writes.
  bool is_unread_copy(const Statement& s) {
    const Operand* const operands = function_.operands_of(s);
    const bool writes_alone = s.opcode == Opcode::kWgmmaMma && folding_.is_false(operands[kScaleSum]);
    if (s.opcode == Opcode::kMov && !s.guarded() && unread_.count(name_of(operands[0])) != 0) return true;
    for (std::uint32_t i = 0; i < s.operands; ++i)
      if (i >= s.destinations || !writes_alone) set_read(operands[i]);
    if (s.guarded()) unread_.erase(static_cast<std::uint32_t>(function_.registers.size()) + s.guard);
    if (writes_alone)
      folding_.chains().visit(operands[kResult], [&](std::uint32_t name) { unread_.insert(name); });
    return false;
  }

 private:
  std::uint32_t name_of(const Operand& operand) const { return folding_.chains().name_of(operand); }
  void set_read(const Operand& operand) {
    folding_.chains().visit(operand, [&](std::uint32_t name) { unread_.erase(name); });
  }

  const Function& function_;
  const OperandFolding& folding_;
  std::set<std::uint32_t> unread_;  // names that are written again before they are read
};

}  // namespace

void fold_unread_sums(const Function& function, const FlowGraph& graph, const OperandFolding& folding,
                      std::vector<bool>& folded, std::vector<InstructionForm>& forms) {
  for (const FlowGraph::Block& block : graph.blocks()) {
    UnreadSums sums(function, folding);
    for (std::uint32_t i = block.end; i-- > block.first;) {
      if (!sums.is_unread_copy(function.code[i])) continue;
      folded[i] = true;
      forms[i] = {};
    }
  }
}

}  // namespace heddle::ptx
