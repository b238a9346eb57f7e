#include "stimuli/ptx/analysis/call_graph.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

void sort_once(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

CallGraph::CallGraph(const Module& module)
    : calls_(module.functions.size()), shared_(module.functions.size()) {
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    for (const Statement& statement : module.functions[i].code)
      if (statement.opcode == Opcode::kCall)
        for (const std::uint32_t callee : callees_of(module, statement)) calls_[i].push_back(callee);
    for (const Operand& operand : module.functions[i].operands)
      if (operand.kind == OperandKind::kVariable && module.variables[operand.index].space == Space::kShared)
        shared_[i].push_back(operand.index);
    sort_once(calls_[i]);
    sort_once(shared_[i]);
  }
}

std::vector<std::uint32_t> CallGraph::reached_from(std::uint32_t function) const {
  std::vector<bool> seen(calls_.size());
  std::vector<std::uint32_t> found = {function};
  seen[function] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::uint32_t called : calls_[found[i]]) {
      if (seen[called]) continue;
      seen[called] = true;
      found.push_back(called);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void lay_out_shared(Module& module, const CallGraph& calls, std::uint32_t entry) {
  std::vector<std::uint32_t> used;
  for (const std::uint32_t function : calls.reached_from(entry)) {
    const std::vector<std::uint32_t>& named = calls.shared_of(function);
    used.insert(used.end(), named.begin(), named.end());
  }
  sort_once(used);

  Function& function = module.functions[entry];
  std::uint64_t end = 0;
  std::uint64_t external_alignment = 1;
  for (const std::uint32_t index : used)
    if (module.variables[index].external)
      external_alignment = std::max<std::uint64_t>(external_alignment, module.variables[index].alignment);
  const auto aligned = [&end](std::uint64_t alignment) {
    return (end + alignment - 1) / alignment * alignment;
  };
  for (const std::uint32_t index : used) {
    const Variable& variable = module.variables[index];
    if (variable.external) continue;
    const std::uint64_t start = aligned(variable.alignment);
    function.shared.push_back({index, start});
    end = start + variable.bytes;
  }
  // All extern arrays name the dynamic shared memory, which begins where the static ends.
  end = aligned(external_alignment);
  for (const std::uint32_t index : used)
    if (module.variables[index].external) function.shared.push_back({index, end});
  function.static_shared_bytes = end;
  std::sort(function.shared.begin(), function.shared.end(),
            [](const SharedPlace& a, const SharedPlace& b) { return a.variable < b.variable; });
}

}  // namespace heddle::ptx
