#include "stimuli/ptx/analysis/liveness.h"

#include "stimuli/ptx/analysis/written_code.h"

namespace heddle::ptx {
namespace {

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
