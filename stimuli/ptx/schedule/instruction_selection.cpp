#include "stimuli/ptx/schedule/instruction_selection.h"

#include <algorithm>

#include "stimuli/ptx/analysis/machine_code.h"
#include "stimuli/ptx/analysis/written_code.h"
#include "stimuli/ptx/schedule/merged_operations.h"
#include "stimuli/ptx/schedule/statement_effects.h"
#include "stimuli/ptx/schedule/unread_sums.h"

namespace heddle::ptx {
namespace {

bool multiplies_in_groups(const Function& function) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [](const Statement& s) { return s.opcode == Opcode::kWgmmaMma; });
}

// Returns the names without those of values that machine code adds.
std::vector<std::uint32_t> of_function(const Function& function, const std::vector<std::uint32_t>& names) {
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t name : names)
    if (name < function.registers.size() + function.predicates.size()) kept.push_back(name);
  return kept;
}

}  // namespace

ScheduledFunction with_selected_instructions(const Function& function, Constants constants) {
  ScheduledFunction made;
  made.function = function;
  made.folded.assign(function.code.size(), true);
  made.forms.resize(function.code.size());
  const auto unfold = [&](const MachineOperation& operation) {
    made.folded[operation.statement] = false;
    made.forms[operation.statement] = {of_function(function, operation.reads),
                                       of_function(function, operation.writes),
                                       {},
                                       false,
                                       operation.constants};
  };
  const FlowGraph graph(function);
  const MachineCode machine = machine_code(function, graph, constants);
  for (const MachineBlock& block : machine.blocks)
    // Constants that are put into registers stand before the operation of the statement.
    for (const MachineOperation& operation : block.operations) unfold(operation);
  for (const MachineBlock& block : code_as_written(function, graph).blocks)
    for (const MachineOperation& operation : block.operations)
      if (made.folded[operation.statement] &&
          !uses_registers_alone(function, function.code[operation.statement]))
        unfold(operation);
  if (multiplies_in_groups(function))
    fold_unread_sums(function, graph, OperandFolding(function, graph, constants), made.folded, made.forms);
  merge_operations(function, graph, made.folded, made.forms);
  return made;
}

}  // namespace heddle::ptx
