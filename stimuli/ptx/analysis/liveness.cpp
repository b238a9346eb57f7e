#include "stimuli/ptx/analysis/liveness.h"

#include <utility>

namespace heddle::ptx {
namespace {

bool name_of(const Function& function, const Operand& operand, std::uint32_t& name) {
  if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kPredicate) return false;
  const bool predicate = operand.kind == OperandKind::kPredicate;
  name = operand.index + (predicate ? static_cast<std::uint32_t>(function.registers.size()) : 0);
  return true;
}

template <class Visit>
void visit_names(const Function& function, const Operand& operand, const Visit& visit) {
  std::uint32_t name = 0;
  if (operand.kind == OperandKind::kVector) {
    for (std::uint32_t i = 0; i < operand.count; ++i)
      if (name_of(function, function.operands[operand.index + i], name)) visit(name);
  } else if (name_of(function, operand, name)) {
    visit(name);
  }
}

// Returns the statements as operations that read and write the same names.
MachineCode code_as_written(const Function& function, const FlowGraph& graph) {
  MachineCode code;
  code.name = function.name;
  code.line = function.line;
  const auto registers = static_cast<std::uint32_t>(function.registers.size());
  for (std::uint32_t name = 0; name < registers + function.predicates.size(); ++name)
    code.units.push_back(static_cast<std::uint8_t>(units_of(function, name)));
  code.blocks.resize(graph.exit());
  for (std::uint32_t block = 0; block < graph.exit(); ++block) {
    for (std::uint32_t i = graph.blocks()[block].first; i < graph.blocks()[block].end; ++i) {
      const Statement& statement = function.code[i];
      MachineOperation operation;
      operation.keeps_old = statement.guarded();
      if (statement.guarded()) operation.reads.push_back(registers + statement.guard);
      for (std::uint32_t j = 0; j < statement.operands; ++j) {
        auto& names = j < statement.destinations ? operation.writes : operation.reads;
        visit_names(function, function.operands_of(statement)[j],
                    [&](std::uint32_t name) { names.push_back(name); });
      }
      code.blocks[block].operations.push_back(std::move(operation));
    }
    for (const std::uint32_t next : graph.graph().successors(block))
      if (next != graph.exit()) code.blocks[block].successors.push_back(next);
  }
  return code;
}

// Calls set for the names that an operation changes, from those that are live behind it to those before it.
template <class Set>
void step_back(const MachineOperation& operation, const Set& set) {
  if (!operation.keeps_old)
    for (const std::uint32_t name : operation.writes) set(name, false);
  for (const std::uint32_t name : operation.reads) set(name, true);
}

}  // namespace

std::uint32_t units_of(const Function& function, std::uint32_t name) {
  if (name >= function.registers.size()) return 0;
  return bytes_of(function.registers[name].type) > 4 ? 2 : 1;
}

Liveness::Liveness(const Function& function, const FlowGraph& graph)
    : graph_(graph), code_(code_as_written(function, graph)), live_in_(code_) {
  count_units();
}

std::vector<bool> Liveness::live_before(std::uint32_t statement) const {
  const std::uint32_t block = graph_.block_of(statement);
  std::vector<bool> live(code_.units.size());
  const auto set = [&](std::uint32_t name, bool on) { live[name] = on; };
  for (const std::uint32_t next : code_.blocks[block].successors)
    live_in_.visit(next, [&](std::uint32_t name) { set(name, true); });
  const std::uint32_t first = graph_.blocks()[block].first;
  for (std::uint32_t i = graph_.blocks()[block].end; i-- > statement;)
    step_back(code_.blocks[block].operations[i - first], set);
  return live;
}

void Liveness::count_units() {
  for (const MachineBlock& block : code_.blocks) units_.resize(units_.size() + block.operations.size());
  std::vector<bool> live(code_.units.size());
  for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
    std::uint32_t now = 0;
    const auto set = [&](std::uint32_t name, bool on) {
      if (live[name] == on) return;
      live[name] = on;
      now = on ? now + code_.units[name] : now - code_.units[name];
    };
    for (const std::uint32_t next : code_.blocks[block].successors)
      live_in_.visit(next, [&](std::uint32_t name) { set(name, true); });
    const std::uint32_t first = graph_.blocks()[block].first;
    for (std::uint32_t i = graph_.blocks()[block].end; i-- > first;) {
      step_back(code_.blocks[block].operations[i - first], set);
      units_[i] = now;
    }
    live_in_.visit(block, [&](std::uint32_t name) { live[name] = false; });
  }
}

}  // namespace heddle::ptx
