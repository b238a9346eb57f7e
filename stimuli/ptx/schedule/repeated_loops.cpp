#include "stimuli/ptx/schedule/repeated_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/machine_code.h"
#include "stimuli/ptx/analysis/operation_costs.h"
#include "stimuli/ptx/schedule/counted_loop.h"
#include "stimuli/ptx/schedule/statement_effects.h"
#include "stimuli/ptx/statements/clocks.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kBodies = 4;            // of a repeated loop
constexpr std::uint32_t kTailBodies = 2;        // behind it
constexpr std::size_t kMostWithMemory = 160;    // operations of all bodies of a loop that accesses memory
constexpr std::size_t kMostWithoutMemory = 80;  // of another loop

// Appends the bodies of one loop to a function.
class LoopBodies {
 public:
  LoopBodies(const Function& from, const CountedLoop& loop, Function& to)
      : from_(from), loop_(loop), to_(to), branch_(from.code[loop.branch]) {
    find_own();
    to_.registers.push_back(to_.registers[loop_.counter]);
    distance_ = static_cast<std::uint32_t>(to_.registers.size() - 1);
    to_.predicates.push_back(to_.predicates[branch_.guard]);
    enough_ = static_cast<std::uint32_t>(to_.predicates.size() - 1);
  }

  // Appends the repeated loop and the loop as it is. Branches within them have their targets; `is_placed`
  // says so by statement.
  void append(std::vector<bool>& is_placed) {
    to_.code.push_back(from_.code[loop_.test]);
    std::uint32_t skip = skip_unless_left(kBodies);
    const auto first = static_cast<std::uint32_t>(to_.code.size());
    for (std::uint32_t body = 0; body < kBodies; ++body) append_body(body, kBodies);
    test_turns(kBodies);
    append_branch(enough_, false, first);
    std::vector<std::uint32_t> ends{append_branch(branch_.guard, !branch_.guard_negated, 0)};
    if (loop_.is_inequality) {
      to_.code[skip].target = static_cast<std::uint32_t>(to_.code.size());
      skip = skip_unless_left(kTailBodies);
      for (std::uint32_t body = 0; body < kTailBodies; ++body) append_body(body, kTailBodies);
      ends.push_back(append_branch(branch_.guard, !branch_.guard_negated, 0));
    }
    const auto loop = static_cast<std::uint32_t>(to_.code.size());
    to_.code[skip].target = loop;
    for (std::uint32_t i = loop_.first; i <= loop_.branch; ++i) to_.code.push_back(from_.code[i]);
    to_.code.back().target = loop;
    for (const std::uint32_t end : ends) to_.code[end].target = static_cast<std::uint32_t>(to_.code.size());
    is_placed.resize(to_.code.size(), true);
  }

 private:
  // Finds the registers and predicates that one statement of the loop writes, in every lane. Each body has
  // such a register of its own.
  void find_own() {
    std::map<std::uint32_t, std::uint32_t> writes;
    for (std::uint32_t i = loop_.first; i < loop_.branch; ++i) {
      const Statement& s = from_.code[i];
      for (std::uint32_t j = 0; j < s.destinations; ++j)
        count(from_.operands_of(s)[j], s.guarded() ? 2 : 1, writes);
    }
    for (const auto& [name, count] : writes)
      if (count == 1) own_.insert(name);
  }
  void count(const Operand& operand, std::uint32_t times,
             std::map<std::uint32_t, std::uint32_t>& writes) const {
    for (std::uint32_t i = 0; operand.kind == OperandKind::kVector && i < operand.count; ++i)
      count(from_.operands[operand.index + i], times, writes);
    if (is_name(operand)) writes[name_of(operand)] += times;
  }
  static bool is_name(const Operand& operand) {
    return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kPredicate;
  }
  // Returns the name as in Liveness.
  std::uint32_t name_of(const Operand& operand) const {
    return operand.index +
           (operand.kind == OperandKind::kRegister ? 0U : static_cast<std::uint32_t>(from_.registers.size()));
  }

  std::uint32_t append_branch(std::uint32_t guard, bool negated, std::uint32_t target) {
    Statement branch = branch_;
    branch.guard = guard;
    branch.guard_negated = negated;
    branch.target = target;
    to_.code.push_back(branch);
    return static_cast<std::uint32_t>(to_.code.size() - 1);
  }
  void append(Statement s, const std::vector<Operand>& operands) {
    s.operand = static_cast<std::uint32_t>(to_.operands.size());
    s.operands = static_cast<std::uint16_t>(operands.size());
    to_.operands.insert(to_.operands.end(), operands.begin(), operands.end());
    to_.code.push_back(s);
  }

  Operand of_register(std::uint32_t index) const {
    Operand operand;
    operand.kind = OperandKind::kRegister;
    operand.type = to_.registers[index].type;
    operand.index = index;
    return operand;
  }
  static Operand of_predicate(std::uint32_t index, bool negated) {
    Operand operand;
    operand.kind = OperandKind::kPredicate;
    operand.type = Type::kPred;
    operand.index = index;
    operand.negated = negated;
    return operand;
  }

  // Sets the predicate `enough_`: the loop goes on, and its counter is so far from the bound that at least so
  // many turns follow. No sum is computed that could wrap around.
  void test_turns(std::uint32_t turns) {
    const Type type = bytes_of(from_.code[loop_.test].type) == 8 ? Type::kU64 : Type::kU32;
    const Operand counter = of_register(loop_.counter);
    Statement difference = from_.code[loop_.steps[loop_.counter]];
    difference.opcode = Opcode::kSub;
    difference.type = type;
    append(difference, {of_register(distance_), loop_.rises ? loop_.bound : counter,
                        loop_.rises ? counter : loop_.bound});
    Statement compare = from_.code[loop_.test];
    compare.type = type;
    compare.comparison = loop_.includes_bound ? Comparison::kGe : Comparison::kGt;
    compare.combination = Combination::kAnd;
    Operand last;
    last.kind = OperandKind::kImmediate;
    last.type = type;
    last.value = (turns - 1) * loop_.step;
    std::vector<Operand> operands{of_predicate(enough_, false)};
    operands.resize(compare.destinations);
    operands.push_back(of_register(distance_));
    operands.push_back(last);
    operands.push_back(of_predicate(branch_.guard, branch_.guard_negated));
    append(compare, operands);
  }
  // Returns the branch that is taken if fewer turns are left.
  std::uint32_t skip_unless_left(std::uint32_t turns) {
    test_turns(turns);
    return append_branch(enough_, true, 0);
  }

  // All bodies but the last one write registers of their own, and do not compare. A step is counted from the
  // value before the first body.
  void append_body(std::uint32_t body, std::uint32_t bodies) {
    const bool last = body + 1 == bodies;
    if (body == 0) present_.clear();
    for (std::uint32_t i = loop_.first; i < loop_.branch; ++i) {
      if (i == loop_.test && !last) continue;
      Statement s = from_.code[i];
      std::vector<Operand> operands(from_.operands_of(s), from_.operands_of(s) + s.operands);
      if (s.guarded()) s.guard = read(of_predicate(s.guard, false)).index;
      if (is_step(i))
        operands[2].value *= body + 1;
      else
        for (std::size_t j = s.destinations; j < operands.size(); ++j) operands[j] = read(operands[j]);
      for (std::size_t j = 0; j < s.destinations; ++j) operands[j] = written(operands[j], last);
      append(s, operands);
    }
  }
  bool is_step(std::uint32_t statement) const {
    const Statement& s = from_.code[statement];
    const Operand& result = from_.operands_of(s)[0];
    return s.opcode == Opcode::kAdd && result.kind == OperandKind::kRegister &&
           loop_.steps[result.index] == statement;
  }

  Operand read(Operand operand) {
    if (operand.kind == OperandKind::kVector)
      return vector_of(operand, [&](const Operand& element) { return read(element); });
    if (!is_name(operand)) return operand;
    if (const auto at = present_.find(name_of(operand)); at != present_.end()) operand.index = at->second;
    return operand;
  }
  Operand written(Operand operand, bool last) {
    if (operand.kind == OperandKind::kVector)
      return vector_of(operand, [&](const Operand& element) { return written(element, last); });
    if (!is_name(operand) || own_.count(name_of(operand)) == 0) return operand;
    const std::uint32_t name = name_of(operand);
    if (last) {
      present_.erase(name);
      return operand;
    }
    auto& names = operand.kind == OperandKind::kRegister ? to_.registers : to_.predicates;
    names.push_back(names[operand.index]);
    operand.index = static_cast<std::uint32_t>(names.size() - 1);
    present_[name] = operand.index;
    return operand;
  }
  template <class Change>
  Operand vector_of(Operand operand, const Change& change) {
    std::vector<Operand> elements;
    for (std::uint32_t i = 0; i < operand.count; ++i)
      elements.push_back(change(from_.operands[operand.index + i]));
    operand.index = static_cast<std::uint32_t>(to_.operands.size());
    to_.operands.insert(to_.operands.end(), elements.begin(), elements.end());
    return operand;
  }

  const Function& from_;
  const CountedLoop& loop_;
  Function& to_;
  const Statement& branch_;                         // that goes back to the start
  std::uint32_t distance_ = 0;                      // register: from the counter to the bound
  std::uint32_t enough_ = 0;                        // predicate
  std::set<std::uint32_t> own_;                     // names
  std::map<std::uint32_t, std::uint32_t> present_;  // by name: the register or predicate of the present body
};

// Says which loops are repeated.
class LoopChoice {
 public:
  explicit LoopChoice(const Function& function, const FlowGraph& graph)
      : function_(function),
        varies_(divergent_registers(function, graph)),
        machine_(machine_code(function, graph)),
        is_not_unrolled_(function.code.size() + 1) {
    for (const Label& label : function.labels)
      if (label.is_not_unrolled) is_not_unrolled_[label.statement] = true;
  }

  bool repeats(const CountedLoop& loop, std::uint32_t block) const {
    if (is_not_unrolled_[loop.first]) return false;
    bool accesses = false;
    bool depends = false;
    for (std::uint32_t i = loop.first; i < loop.branch; ++i) {
      const Statement& s = function_.code[i];
      const MachineOperation::Memory memory = memory_of(function_, s);
      if (is_fixed(function_, s)) return false;
      accesses = accesses || memory != MachineOperation::Memory::kNone;
      depends = depends || memory == MachineOperation::Memory::kFence || depends_on_lanes(s);
    }
    if (depends && (varies(loop.bound) || varies_[loop.counter])) return false;
    return kBodies * operations(block) <= (accesses ? kMostWithMemory : kMostWithoutMemory);
  }

 private:
  bool varies(const Operand& operand) const {
    return operand.kind == OperandKind::kRegister && varies_[operand.index];
  }
  // Returns the operations of a block without those that put constants into registers.
  std::size_t operations(std::uint32_t block) const {
    std::set<std::uint32_t> statements;
    for (const MachineOperation& operation : machine_.blocks[block].operations)
      statements.insert(operation.statement);
    return statements.size();
  }

  const Function& function_;
  const std::vector<bool> varies_;  // by register
  const MachineCode machine_;
  std::vector<bool> is_not_unrolled_;  // by statement
};

}  // namespace

Function with_repeated_loops(const Function& function) {
  const FlowGraph graph(function);
  const LoopChoice choice(function, graph);
  Function result = function;
  result.code.clear();
  std::vector<std::uint32_t> moved;  // by statement: where it stands now, or the loop that it starts
  std::vector<bool> is_placed;       // by statement of the result: it is a branch that has its target
  for (std::uint32_t block = 0; block < graph.exit(); ++block) {
    const FlowGraph::Block& at = graph.blocks()[block];
    const auto start = static_cast<std::uint32_t>(result.code.size());
    const std::optional<CountedLoop> loop = counted_loop(function, at);
    for (std::uint32_t i = at.first; i < at.end; ++i) moved.push_back(start + i - at.first);
    if (loop && choice.repeats(*loop, block)) {
      LoopBodies(function, *loop, result).append(is_placed);
      continue;
    }
    for (std::uint32_t i = at.first; i < at.end; ++i) result.code.push_back(function.code[i]);
    is_placed.resize(result.code.size(), false);
  }
  moved.push_back(static_cast<std::uint32_t>(result.code.size()));
  for (std::size_t i = 0; i < result.code.size(); ++i)
    if (result.code[i].opcode == Opcode::kBra && !is_placed[i])
      result.code[i].target = moved[result.code[i].target];
  for (Label& label : result.labels) label.statement = moved[label.statement];
  set_reconvergence(result, FlowGraph(result));
  return result;
}

}  // namespace heddle::ptx
