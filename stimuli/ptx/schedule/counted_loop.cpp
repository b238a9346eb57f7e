#include "stimuli/ptx/schedule/counted_loop.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kMostStep = std::uint64_t{1} << 20U;

Comparison swapped(Comparison comparison) {
  switch (comparison) {
    case Comparison::kLt:
      return Comparison::kGt;
    case Comparison::kLe:
      return Comparison::kGe;
    case Comparison::kGt:
      return Comparison::kLt;
    case Comparison::kGe:
      return Comparison::kLe;
    default:
      return comparison;
  }
}

Comparison inverted(Comparison comparison) {
  switch (comparison) {
    case Comparison::kLt:
      return Comparison::kGe;
    case Comparison::kLe:
      return Comparison::kGt;
    case Comparison::kGt:
      return Comparison::kLe;
    case Comparison::kGe:
      return Comparison::kLt;
    case Comparison::kEq:
      return Comparison::kNe;
    case Comparison::kNe:
      return Comparison::kEq;
    default:
      return Comparison::kNone;
  }
}

class LoopReader {
 public:
  LoopReader(const Function& function, const FlowGraph::Block& block)
      : function_(function), block_(block), writes_(function.registers.size()) {
    loop_.first = block.first;
    loop_.branch = block.end - 1;
    loop_.steps.assign(function.registers.size(), Graph::kNone);
  }

  std::optional<CountedLoop> read() {
    const Statement& branch = function_.code[loop_.branch];
    if (branch.opcode != Opcode::kBra || !branch.guarded() || branch.target != loop_.first) return {};
    count_writes();
    find_steps();
    if (!find_test(branch) || !read_test(branch)) return {};
    return loop_;
  }

 private:
  const Operand* operands(std::uint32_t statement) const {
    return function_.operands_of(function_.code[statement]);
  }
  template <class Visit>
  void visit(const Operand& operand, const Visit& visit_operand) const {
    visit_operand(operand);
    for (std::uint32_t i = 0; operand.kind == OperandKind::kVector && i < operand.count; ++i)
      visit_operand(function_.operands[operand.index + i]);
  }

  void count_writes() {
    for (std::uint32_t i = block_.first; i < block_.end; ++i)
      for (std::uint32_t j = 0; j < function_.code[i].destinations; ++j)
        visit(operands(i)[j], [&](const Operand& operand) {
          if (operand.kind == OperandKind::kRegister) ++writes_[operand.index];
        });
  }

  void find_steps() {
    for (std::uint32_t i = block_.first; i < block_.end; ++i) {
      const Statement& s = function_.code[i];
      if (s.opcode != Opcode::kAdd || s.guarded() || is_float(s.type) || s.flags != 0) continue;
      const Operand* const operand = operands(i);
      if (operand[0].kind != OperandKind::kRegister || operand[1].kind != OperandKind::kRegister ||
          operand[0].index != operand[1].index || operand[2].kind != OperandKind::kImmediate)
        continue;
      const bool is_whole = bytes_of(function_.registers[operand[0].index].type) == bytes_of(s.type);
      if (is_whole && bytes_of(s.type) >= 4 && writes_[operand[0].index] == 1)
        loop_.steps[operand[0].index] = i;
    }
  }

  // Finds the comparison that the branch takes, which nothing else reads.
  bool find_test(const Statement& branch) {
    std::uint32_t found = 0;
    for (std::uint32_t i = block_.first; i < loop_.branch; ++i) {
      const Statement& s = function_.code[i];
      if (s.guarded() && s.guard == branch.guard) return false;
      for (std::uint32_t j = 0; j < s.operands; ++j)
        visit(operands(i)[j], [&](const Operand& operand) {
          if (operand.kind != OperandKind::kPredicate || operand.index != branch.guard) return;
          ++found;
          loop_.test = i;
        });
    }
    const Statement& test = function_.code[loop_.test];
    if (test.destinations > 1 && operands(loop_.test)[1].kind != OperandKind::kNone) return false;
    return found == 1 && test.opcode == Opcode::kSetp && !test.guarded() && !is_float(test.type) &&
           bytes_of(test.type) >= 4 && test.combination == Combination::kNone &&
           operands(loop_.test)[0].kind == OperandKind::kPredicate &&
           operands(loop_.test)[0].index == branch.guard;
  }

  bool read_test(const Statement& branch) {
    const Statement& test = function_.code[loop_.test];
    const Operand* const compared = operands(loop_.test) + test.destinations;
    Comparison comparison = branch.guard_negated ? inverted(test.comparison) : test.comparison;
    if (is_counter(compared[0], test) && is_bound(compared[1], test)) {
      loop_.counter = compared[0].index;
      loop_.bound = compared[1];
    } else if (is_counter(compared[1], test) && is_bound(compared[0], test)) {
      loop_.counter = compared[1].index;
      loop_.bound = compared[0];
      comparison = swapped(comparison);
    } else {
      return false;
    }
    const std::uint64_t added = operands(loop_.steps[loop_.counter])[2].value;
    loop_.rises = added >> 63U == 0;
    loop_.step = loop_.rises ? added : std::uint64_t{0} - added;
    loop_.is_inequality = test.comparison == Comparison::kNe && comparison == Comparison::kNe;
    loop_.includes_bound = comparison == Comparison::kLe || comparison == Comparison::kGe;
    const bool below = comparison == Comparison::kLt || comparison == Comparison::kLe;
    const bool above = comparison == Comparison::kGt || comparison == Comparison::kGe;
    return loop_.step != 0 && loop_.step <= kMostStep &&
           (loop_.is_inequality || (loop_.rises ? below : above));
  }
  bool is_counter(const Operand& operand, const Statement& test) const {
    return operand.kind == OperandKind::kRegister && loop_.steps[operand.index] != Graph::kNone &&
           loop_.steps[operand.index] < loop_.test &&
           bytes_of(function_.registers[operand.index].type) == bytes_of(test.type);
  }
  bool is_bound(const Operand& operand, const Statement& test) const {
    if (operand.kind == OperandKind::kImmediate) return true;
    return operand.kind == OperandKind::kRegister && writes_[operand.index] == 0 &&
           bytes_of(function_.registers[operand.index].type) == bytes_of(test.type);
  }

  const Function& function_;
  const FlowGraph::Block& block_;
  std::vector<std::uint32_t> writes_;  // by register: statements of the block
  CountedLoop loop_;
};

}  // namespace

std::optional<CountedLoop> counted_loop(const Function& function, const FlowGraph::Block& block) {
  return LoopReader(function, block).read();
}

}  // namespace heddle::ptx
