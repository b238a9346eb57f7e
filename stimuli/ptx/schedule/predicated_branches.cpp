#include "stimuli/ptx/schedule/predicated_branches.h"

#include <algorithm>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/liveness.h"
#include "stimuli/ptx/analysis/operation_costs.h"
#include "stimuli/ptx/schedule/statement_effects.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostJumps = 16;  // jumps to jumps
constexpr std::size_t kMostSweeps =
    8;  // over the function, each of which may leave a branch less of each nest
// Operations, beside moves of constants, of a part with a guard; as in merge_blocks().
constexpr std::ptrdiff_t kMostGuarded = 5;
constexpr std::uint32_t kMostTemporaries =
    2;  // registers that a statement with a guard needs beside operands

// Statements first .. end - 1.
struct Part {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// One pass over the branches of a function.
class Sweep {
 public:
  explicit Sweep(Function& function)
      : function_(function),
        graph_(function),
        liveness_(function, graph_),
        counts_(function.code.size()),
        entries_(function.code.size() + 1),
        removed_(function.code.size()) {
    for (const Statement& s : function.code)
      if (s.opcode == Opcode::kBra) ++entries_[s.target];
    const MachineCode machine = machine_code(function, graph_);
    for (const MachineBlock& block : machine.blocks)
      for (const MachineOperation& operation : block.operations)
        if (!operation.reads.empty() || operation.memory != MachineOperation::Memory::kNone)
          counts_[operation.statement] = true;
  }

  bool run() {
    bool changed = false;
    for (std::uint32_t i = 0; i + 1 < function_.code.size(); ++i) {
      const Statement& s = function_.code[i];
      if (s.opcode != Opcode::kBra || removed_[i]) continue;
      if (s.target == i + 1)
        changed = removed_[i] = true;
      else if (s.guarded())
        changed = invert(i) || skip(i) || select(i) || changed;
    }
    if (changed) compact();
    return changed;
  }

 private:
  bool is_jump(std::uint32_t statement) const {
    const Statement& s = function_.code[statement];
    return s.opcode == Opcode::kBra && !s.guarded();
  }

  // Changes a branch around a jump to a branch to the target of the jump.
  bool invert(std::uint32_t i) {
    Statement& branch = function_.code[i];
    if (branch.target != i + 2 || !is_jump(i + 1) || entries_[i + 1] != 0) return false;
    --entries_[branch.target];
    branch.guard_negated = !branch.guard_negated;
    branch.target = function_.code[i + 1].target;
    removed_[i + 1] = true;
    return true;
  }

  // Guards the statements that the branch skips.
  bool skip(std::uint32_t i) {
    const Statement branch = function_.code[i];
    const Part part{i + 1, branch.target};
    if (branch.target <= i + 1 || !is_short(part, branch.guard, 0) || ends_thread(part.end)) return false;
    guard(part, branch.guard, !branch.guard_negated, {part.end});
    --entries_[branch.target];
    return removed_[i] = true;
  }

  // Guards the statements of both sides.
  bool select(std::uint32_t i) {
    const Statement branch = function_.code[i];
    const std::uint32_t other = branch.target;
    if (other <= i + 2 || !is_jump(other - 1) || removed_[other - 1] || entries_[other - 1] != 0)
      return false;
    const std::uint32_t join = function_.code[other - 1].target;
    const Part first{i + 1, other - 1};
    const Part second{other, join};
    if (join <= other || !is_short(first, branch.guard, 0) || !is_short(second, branch.guard, 1))
      return false;
    guard(first, branch.guard, !branch.guard_negated, {other, join});
    guard(second, branch.guard, branch.guard_negated, {join});
    --entries_[join];
    --entries_[other];
    removed_[other - 1] = true;
    return removed_[i] = true;
  }

  bool ends_thread(std::uint32_t statement) const {
    const Statement& s = function_.code[statement];
    return (s.opcode == Opcode::kRet || s.opcode == Opcode::kExit) && !s.guarded();
  }

  // Returns whether so many branches lead to the start of the part, and none into it, and whether it has few
  // statements, which may have the guard.
  bool is_short(const Part& part, std::uint32_t guard, std::uint32_t branches) const {
    std::ptrdiff_t counted = 0;
    for (std::uint32_t i = part.first; i < part.end; ++i) {
      const Statement& s = function_.code[i];
      counted += counts_[i] ? 1 : 0;
      if (counted > kMostGuarded || removed_[i] || (i > part.first && entries_[i] != 0)) return false;
      if (!may_be_guarded(s, guard)) return false;
    }
    return entries_[part.first] == branches;
  }
  bool may_be_guarded(const Statement& s, std::uint32_t guard) const {
    const Operand* const operands = function_.operands_of(s);
    for (std::uint32_t j = 0; j < s.destinations; ++j)
      if (operands[j].kind == OperandKind::kPredicate && operands[j].index == guard) return false;
    return !s.guarded() && !ends_block(s) && !is_fixed(function_, s) && !depends_on_lanes(s) &&
           memory_of(function_, s) != MachineOperation::Memory::kFence &&
           costs_of(s).temporaries <= kMostTemporaries && !s.has(kCarryOut) && s.opcode != Opcode::kAddc &&
           s.opcode != Opcode::kSubc && s.opcode != Opcode::kMadc;
  }

  // Statements whose results are not live at the places have no guard.
  void guard(const Part& part, std::uint32_t predicate, bool negated,
             const std::vector<std::uint32_t>& places) {
    std::vector<std::vector<bool>> live;
    for (const std::uint32_t place : places) live.push_back(liveness_.live_before(place));
    for (std::uint32_t i = part.first; i < part.end; ++i) {
      Statement& s = function_.code[i];
      if (s.opcode != Opcode::kLd || is_launch_parameter(function_, s))
        if (uses_registers_alone(function_, s) && is_dead(s, live)) continue;
      s.guard = predicate;
      s.guard_negated = negated;
    }
  }
  bool is_dead(const Statement& s, const std::vector<std::vector<bool>>& live) const {
    const Operand* const operands = function_.operands_of(s);
    for (std::uint32_t j = 0; j < s.destinations; ++j) {
      const Operand& operand = operands[j];
      std::size_t name = operand.index;
      if (operand.kind == OperandKind::kVector) return false;
      if (operand.kind == OperandKind::kPredicate) name += function_.registers.size();
      const bool is_name = operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kPredicate;
      for (const std::vector<bool>& names : live)
        if (is_name && names[name]) return false;
    }
    return true;
  }

  void compact() {
    std::vector<std::uint32_t> moved;
    std::vector<Statement> kept;
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      moved.push_back(static_cast<std::uint32_t>(kept.size()));
      if (!removed_[i]) kept.push_back(function_.code[i]);
    }
    moved.push_back(static_cast<std::uint32_t>(kept.size()));
    function_.code = std::move(kept);
    for (Statement& s : function_.code)
      if (s.opcode == Opcode::kBra) s.target = moved[s.target];
    for (Label& label : function_.labels) label.statement = moved[label.statement];
  }

  Function& function_;
  const FlowGraph graph_;
  const Liveness liveness_;
  std::vector<bool> counts_;            // by statement: it is an operation that is no move of a constant
  std::vector<std::uint32_t> entries_;  // by statement: branches that lead there
  std::vector<bool> removed_;           // by statement
};

void lead_past_jumps(Function& function) {
  for (Statement& s : function.code) {
    if (s.opcode != Opcode::kBra) continue;
    for (std::size_t hops = 0; hops < kMostJumps; ++hops) {
      const Statement& next = function.code[s.target];
      if (next.opcode != Opcode::kBra || next.guarded() || next.target == s.target) break;
      s.target = next.target;
    }
  }
}

}  // namespace

Function with_predicated_branches(const Function& function) {
  Function result = function;
  for (std::size_t sweep = 0; sweep < kMostSweeps; ++sweep) {
    lead_past_jumps(result);
    if (!Sweep(result).run()) break;
  }
  set_reconvergence(result, FlowGraph(result));
  return result;
}

}  // namespace heddle::ptx
