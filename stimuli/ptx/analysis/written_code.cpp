#include "stimuli/ptx/analysis/written_code.h"

#include <utility>

#include "stimuli/ptx/analysis/liveness.h"

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

}  // namespace

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
      operation.statement = i;
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

}  // namespace heddle::ptx
