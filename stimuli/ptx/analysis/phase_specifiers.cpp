#include "stimuli/ptx/analysis/phase_specifiers.h"

#include "stimuli/ptx/analysis/flow_graph.h"

namespace heddle::ptx {

Function with_specifiers(const Function& entry, const PhaseMap& phases) {
  Function result = entry;
  result.code.clear();
  std::vector<std::uint32_t> moved;  // by statement: where it or its specifier stands now
  std::uint32_t next = 1;            // phase
  for (std::uint32_t i = 0; i < entry.code.size(); ++i) {
    moved.push_back(static_cast<std::uint32_t>(result.code.size()));
    if (next < phases.phases.size() && phases.phases[next].first == i) {
      Statement specifier;
      specifier.opcode = Opcode::kPhase;
      specifier.target = next++;
      specifier.line = entry.code[i].line;
      result.code.push_back(specifier);
    }
    result.code.push_back(entry.code[i]);
  }
  for (Statement& statement : result.code)
    if (statement.opcode == Opcode::kBra) statement.target = moved[statement.target];
  for (Label& label : result.labels)
    label.statement = label.statement < moved.size() ? moved[label.statement]
                                                     : static_cast<std::uint32_t>(result.code.size());
  set_reconvergence(result, FlowGraph(result));
  return result;
}

}  // namespace heddle::ptx
