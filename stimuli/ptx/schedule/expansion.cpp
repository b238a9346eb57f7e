#include "stimuli/ptx/schedule/expansion.h"

#include <algorithm>
#include <set>
#include <utility>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/schedule/convergence_barriers.h"
#include "stimuli/ptx/schedule/operation_sequence.h"
#include "stimuli/ptx/schedule/statement_effects.h"

namespace heddle::ptx {
namespace {

InstructionForm form_of(Operation operation, bool is_fixed) {
  return {{}, {}, operation, is_fixed};
}

class Expansion {
 public:
  Expansion(ScheduledFunction& code, Constants constants)
      : code_(code),
        function_(code.function),
        constants_(constants),
        before_(function_.code.size()),
        behind_(function_.code.size() + 1) {}

  void expand() {
    if (function_.entry) add_prologue();
    for (const ConvergenceBarrier& barrier : convergence_barriers(function_)) {
      (barrier.ends_with_branch ? before_[barrier.set - 1] : behind_[barrier.set])
          .push_back(form_of(Operation::kNop, false));
      before_[barrier.wait].push_back(form_of(Operation::kNop, true));
    }
    unguarded_.resize(function_.code.size());
    for (std::size_t i = 0; i < before_.size(); ++i) unguarded_[i] = before_[i].size();
    const FlowGraph graph(function_);
    const OperandFolding folding(function_, graph, constants_);
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      if (code_.folded[i]) continue;
      // The parameters of a launch count as present in the constant cache: their loads access no memory.
      if (is_launch_parameter(function_, function_.code[i])) code_.forms[i].operation = Operation::kMove;
      expand(i, sequence_of(function_, folding, function_.code[i]));
    }
    insert();
  }

 private:
  // Adds what the entry does before its first statement.
  void add_prologue() {
    std::set<std::uint32_t> shared;
    bool accesses_global = false;
    for (const Statement& s : function_.code) {
      accesses_global = accesses_global || is_global_access(s);
      for (std::uint32_t j = 0; j < s.operands; ++j) {
        const Operand& operand = function_.operands_of(s)[j];
        if (operand.kind == OperandKind::kVariable && is_shared(operand.index)) shared.insert(operand.index);
      }
    }
    std::size_t moves = 1;         // of the stack pointer
    if (accesses_global) ++moves;  // the descriptor
    // The addresses of shared variables depend on the number of the block in its cluster.
    if (constants_ == Constants::kLoaded && !shared.empty()) moves += 1 + 2 * shared.size();
    behind_[0].assign(moves, form_of(Operation::kMove, true));
  }
  static bool is_global_access(const Statement& s) {
    switch (s.opcode) {
      case Opcode::kLd:
      case Opcode::kSt:
      case Opcode::kAtom:
      case Opcode::kRed:
      case Opcode::kCopyAsync:
        return s.space == Space::kGlobal || s.space == Space::kGeneric;
      default:
        return false;
    }
  }
  bool is_shared(std::uint32_t variable) const {
    return std::any_of(function_.shared.begin(), function_.shared.end(),
                       [&](const SharedPlace& place) { return place.variable == variable; });
  }

  void expand(std::uint32_t statement, const OperationSequence& steps) {
    if (steps.empty()) return;
    InstructionForm& form = code_.forms[statement];
    const std::vector<std::uint32_t> operands = form.reads;
    std::vector<std::uint32_t> present = operands;
    for (const SequenceStep& step : steps) {
      if (&step == &steps.back()) break;
      before_[statement].push_back({step.in_line ? present : operands,
                                    step.in_line ? form.writes : std::vector<std::uint32_t>(),
                                    step.operation});
      if (step.in_line) present = form.writes;
    }
    form.operation = steps.back().operation;
    for (const std::uint32_t name : present)
      if (std::find(form.reads.begin(), form.reads.end(), name) == form.reads.end())
        form.reads.push_back(name);
  }

  void insert() {
    std::vector<Statement> statements;
    std::vector<bool> folded;
    std::vector<InstructionForm> forms;
    std::vector<std::uint32_t> moved;  // by statement: where branches to it lead
    const auto append = [&](Statement statement, bool is_folded, InstructionForm form) {
      statements.push_back(statement);
      folded.push_back(is_folded);
      forms.push_back(std::move(form));
    };
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      for (InstructionForm& form : behind_[i]) append(part_of(i, false), false, std::move(form));
      moved.push_back(static_cast<std::uint32_t>(statements.size()));
      for (std::size_t j = 0; j < before_[i].size(); ++j)
        append(part_of(i, j >= unguarded_[i]), false, std::move(before_[i][j]));
      append(function_.code[i], code_.folded[i], std::move(code_.forms[i]));
    }
    moved.push_back(static_cast<std::uint32_t>(statements.size()));
    function_.code = std::move(statements);
    code_.folded = std::move(folded);
    code_.forms = std::move(forms);
    for (Statement& s : function_.code)
      if (s.opcode == Opcode::kBra) s.target = moved[s.target];
    for (Label& label : function_.labels) label.statement = moved[label.statement];
    set_reconvergence(function_, FlowGraph(function_));
  }
  Statement part_of(std::uint32_t statement, bool guarded) const {
    const Statement& of = function_.code[statement];
    Statement part;
    part.opcode = Opcode::kPart;
    part.form = of.form;
    part.line = of.line;
    if (!guarded) return part;
    part.guard = of.guard;
    part.guard_negated = of.guard_negated;
    return part;
  }

  ScheduledFunction& code_;
  Function& function_;
  const Constants constants_;
  std::vector<std::vector<InstructionForm>> before_;  // by statement
  std::vector<std::vector<InstructionForm>> behind_;  // by statement: those behind the one before it
  std::vector<std::size_t> unguarded_;  // by statement: the first of `before_` that have no guard
};

}  // namespace

void expand(ScheduledFunction& code, Constants constants) {
  Expansion(code, constants).expand();
}

}  // namespace heddle::ptx
