#include "stimuli/ptx/analysis/held_registers.h"

#include <algorithm>
#include <map>

#include "stimuli/ptx/analysis/live_values.h"
#include "stimuli/ptx/analysis/machine_code.h"
#include "stimuli/ptx/analysis/register_estimate.h"

namespace heddle::ptx {
namespace {

constexpr int kMostDepth = 64;  // of calls; deeper ones count as recursive

class HeldRegisters {
 public:
  HeldRegisters(const Module& module, std::uint32_t most) : module_(module), most_(most) {}

  // Returns the registers by statement, without the stack pointer.
  std::vector<std::uint32_t> of(const Function& function, const FlowGraph& graph) {
    std::vector<std::uint32_t> held = pressure_by_statement(machine_code(function, graph), graph);
    for (std::uint32_t i = 0; i < held.size(); ++i) {
      if (function.code[i].opcode == Opcode::kCall) held[i] += of_callees(function.code[i]);
      held[i] = std::min(held[i], most_);
    }
    return held;
  }

 private:
  std::uint32_t of_callees(const Statement& call) {
    std::uint32_t most = 0;
    for (const std::uint32_t callee : callees_of(module_, call)) most = std::max(most, of_callee(callee));
    return most;
  }

  std::uint32_t of_callee(std::uint32_t callee) {
    const Function& function = module_.functions[callee];
    if (function.code.empty()) return 0;
    // A callee that is found again before it is done is recursive.
    const auto [at, fresh] = callees_.emplace(callee, most_);
    if (!fresh || depth_ == kMostDepth) return at->second;
    ++depth_;
    const std::vector<std::uint32_t> held = of(function, FlowGraph(function));
    --depth_;
    return at->second = *std::max_element(held.begin(), held.end());
  }

  const Module& module_;
  const std::uint32_t most_;
  std::map<std::uint32_t, std::uint32_t> callees_;  // by function: its registers
  int depth_ = 0;                                   // of the call that is followed now
};

}  // namespace

std::vector<std::uint32_t> held_registers(const Module& module, const Function& function,
                                          const FlowGraph& graph, std::uint32_t most) {
  std::vector<std::uint32_t> held = HeldRegisters(module, most).of(function, graph);
  for (std::uint32_t& registers : held) registers = std::min(registers + kStackPointer, most);
  return held;
}

}  // namespace heddle::ptx
