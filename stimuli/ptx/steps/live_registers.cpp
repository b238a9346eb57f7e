#include "stimuli/ptx/steps/live_registers.h"

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/held_registers.h"

namespace heddle::ptx {

std::vector<std::uint32_t> live_registers(const Module& module, const EntryCode& code, std::uint32_t most) {
  const FunctionCode& entry = code.functions[code.entry];
  const std::vector<std::uint32_t> held =
      held_registers(module, *entry.function, FlowGraph(*entry.function), most);
  std::vector<std::uint32_t> live;
  live.reserve(entry.steps.size());
  for (const Step& step : entry.steps)
    live.push_back(held[static_cast<std::size_t>(step.statement - entry.function->code.data())]);
  return live;
}

}  // namespace heddle::ptx
