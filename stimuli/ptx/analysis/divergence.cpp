#include "stimuli/ptx/analysis/divergence.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

class Divergence {
 public:
  Divergence(const Function& function, const FlowGraph& graph, Values values = Values::kDivergent)
      : values_(values),
        function_(function),
        graph_(graph),
        post_dominators_(graph.post_dominators()),
        registers_(function.registers.size()),
        varies_(function.registers.size() + function.predicates.size()),
        divergent_(graph.blocks().size()) {}

  std::vector<bool> find() {
    search();
    return divergent_;
  }
  std::vector<bool> find_branches() {
    search();
    std::vector<bool> branches(divergent_.size());
    for (std::uint32_t block = 0; block < branches.size(); ++block) branches[block] = may_diverge(block);
    return branches;
  }
  std::vector<bool> find_guarded() {
    search();
    std::vector<bool> branches(divergent_.size());
    for (std::uint32_t block = 0; block < branches.size(); ++block) branches[block] = is_guarded(block);
    return branches;
  }
  std::vector<bool> find_registers() {
    search();
    return {varies_.begin(), varies_.begin() + static_cast<std::ptrdiff_t>(registers_)};
  }

 private:
  void search() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t block = 0; block < divergent_.size(); ++block) changed = visit(block) || changed;
    }
  }

  bool visit(std::uint32_t block) {
    bool changed = false;
    const FlowGraph::Block& at = graph_.blocks()[block];
    for (std::uint32_t i = at.first; i < at.end; ++i) {
      const Statement& statement = function_.code[i];
      if (divergent_[block] || is_divergent_source(statement)) changed = mark_written(statement) || changed;
    }
    if (may_diverge(block)) changed = mark_divergent(block) || changed;
    return changed;
  }

  // Returns whether the lanes may take different ways at the end of the block.
  bool may_diverge(std::uint32_t block) const { return is_guarded(block) && !is_exit_guard(block); }
  bool is_guarded(std::uint32_t block) const {
    const Statement& last = function_.code[graph_.blocks()[block].end - 1];
    return last.opcode == Opcode::kBra && last.guarded() && varies_[registers_ + last.guard];
  }

  bool is_divergent_source(const Statement& statement) const {
    if (statement.guarded() && varies_[registers_ + statement.guard]) return true;
    return values_ == Values::kShared ? reads_shared_value(statement) || reads_marked(statement)
                                      : differs(statement);
  }

  bool differs(const Statement& statement) const {
    switch (statement.opcode) {
      case Opcode::kAtom:
      case Opcode::kCall:
      case Opcode::kElect:
      case Opcode::kLdmatrix:
      case Opcode::kMatch:
      case Opcode::kMbarrierArrive:
      case Opcode::kMbarrierDrop:
      case Opcode::kMbarrierTest:
      case Opcode::kMbarrierTry:
      case Opcode::kMma:
      case Opcode::kShfl:
      case Opcode::kWgmmaMma:
      case Opcode::kWmmaLoad:
      case Opcode::kWmmaMma:
        return true;
      case Opcode::kActivemask:
      case Opcode::kBarRed:
      case Opcode::kVote:
        return false;
      case Opcode::kLd:
        if (statement.space == Space::kLocal || statement.space == Space::kGeneric) return true;
        break;
      default:
        break;
    }
    return reads_marked(statement);
  }

  bool reads_marked(const Statement& statement) const {
    const Operand* const operands = function_.operands_of(statement);
    return std::any_of(operands + statement.destinations, operands + statement.operands,
                       [this](const Operand& operand) { return is_marked(operand); });
  }

  bool is_marked(const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::kRegister:
        return varies_[operand.index];
      case OperandKind::kPredicate:
        return varies_[registers_ + operand.index];
      case OperandKind::kSpecial: {
        if (values_ == Values::kShared) return false;
        const auto which = static_cast<Special>(operand.index);
        return which <= Special::kTidZ || which == Special::kLaneid ||
               (which >= Special::kLanemaskEq && which <= Special::kLanemaskGt);
      }
      case OperandKind::kVector:
        return std::any_of(function_.operands.begin() + operand.index,
                           function_.operands.begin() + operand.index + operand.count,
                           [this](const Operand& element) { return is_marked(element); });
      default:
        return false;
    }
  }

  bool mark_written(const Statement& statement) {
    bool changed = false;
    const Operand* const operands = function_.operands_of(statement);
    for (std::uint32_t i = 0; i < statement.destinations; ++i) changed = mark(operands[i]) || changed;
    return changed;
  }

  bool mark(const Operand& operand) {
    if (operand.kind == OperandKind::kVector) {
      bool changed = false;
      for (std::uint32_t i = 0; i < operand.count; ++i)
        changed = mark(function_.operands[operand.index + i]) || changed;
      return changed;
    }
    if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kPredicate) return false;
    const std::size_t name = operand.index + (operand.kind == OperandKind::kPredicate ? registers_ : 0);
    const bool fresh = !varies_[name];
    varies_[name] = true;
    return fresh;
  }

  // Whether one successor only ends the thread.
  bool is_exit_guard(std::uint32_t block) const {
    for (const std::uint32_t next : graph_.graph().successors(block)) {
      if (next == graph_.exit()) return true;
      const FlowGraph::Block& at = graph_.blocks()[next];
      const Opcode opcode = function_.code[at.first].opcode;
      if (at.end == at.first + 1 && (opcode == Opcode::kRet || opcode == Opcode::kExit)) return true;
    }
    return false;
  }

  // Marks the blocks between the branch and its reconvergence point. Returns whether any is new.
  bool mark_divergent(std::uint32_t branch) {
    bool changed = false;
    std::vector<bool> seen(divergent_.size() + 1);
    std::vector<std::uint32_t> waiting{branch};
    while (!waiting.empty()) {
      const std::uint32_t from = waiting.back();
      waiting.pop_back();
      for (const std::uint32_t next : graph_.graph().successors(from)) {
        if (next == post_dominators_[branch] || next == graph_.exit() || seen[next]) continue;
        seen[next] = true;
        changed = changed || !divergent_[next];
        divergent_[next] = true;
        waiting.push_back(next);
      }
    }
    return changed;
  }

  const Values values_;
  const Function& function_;
  const FlowGraph& graph_;
  const std::vector<std::uint32_t> post_dominators_;  // immediate ones, by block
  const std::size_t registers_;
  std::vector<bool> varies_;  // by name as in Liveness
  std::vector<bool> divergent_;
};

}  // namespace

std::vector<bool> divergent_blocks(const Function& function, const FlowGraph& graph) {
  return Divergence(function, graph).find();
}

std::vector<bool> divergent_branches(const Function& function, const FlowGraph& graph) {
  return Divergence(function, graph).find_branches();
}

std::vector<bool> branches_on(Values values, const Function& function, const FlowGraph& graph) {
  return Divergence(function, graph, values).find_guarded();
}

bool reads_shared_value(const Statement& statement) {
  if (statement.opcode == Opcode::kAtom || statement.opcode == Opcode::kMbarrierTest ||
      statement.opcode == Opcode::kMbarrierTry)
    return true;
  return statement.opcode == Opcode::kLd && statement.ordering != Ordering::kNone &&
         statement.ordering != Ordering::kWeak;
}

std::vector<bool> divergent_registers(const Function& function, const FlowGraph& graph) {
  return Divergence(function, graph).find_registers();
}

}  // namespace heddle::ptx
