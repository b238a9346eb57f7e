#include "stimuli/ptx/analysis/phases.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/liveness.h"
#include "stimuli/ptx/analysis/shared_liveness.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

bool ends_phase(const Statement& statement) {
  return statement.opcode == Opcode::kBarSync || statement.opcode == Opcode::kBarRed ||
         statement.opcode == Opcode::kBarArrive || statement.opcode == Opcode::kFence;
}

class PhaseFinder {
 public:
  PhaseFinder(const Module& module, const Function& entry, const PhaseRule& rule,
              std::uint64_t dynamic_shared)
      : entry_(entry), rule_(rule), graph_(entry) {
    map_.live_registers = Liveness(entry, graph_).units();
    map_.live_shared_bytes = ptx::live_shared_bytes(module, entry, graph_, dynamic_shared);
    const std::vector<bool> blocks = divergent_blocks(entry, graph_);
    for (std::uint32_t i = 0; i < entry.code.size(); ++i)
      map_.divergent.push_back(blocks[graph_.block_of(i)]);
  }

  PhaseMap find() {
    mark_changes();
    while (add_join_boundary()) {
    }
    for (const auto& [first, start] : boundaries_) {
      Phase phase;
      phase.first = first;
      phase.start = start;
      map_.phases.push_back(phase);
    }
    for (std::uint32_t i = 0; i < entry_.code.size(); ++i) count(i);
    return map_;
  }

 private:
  template <typename Amount>
  bool changed(Amount now, Amount before) const {
    const double difference = std::abs(static_cast<double>(now) - static_cast<double>(before));
    return difference > 0 && difference >= rule_.live_change * static_cast<double>(before);
  }

  void mark_changes() {
    boundaries_[0] = Phase::Start::kEntry;
    std::uint32_t last = 0;
    for (std::uint32_t i = 1; i < entry_.code.size(); ++i) {
      const bool barrier = ends_phase(entry_.code[i - 1]);
      const bool moved = changed(map_.live_registers[i], map_.live_registers[last]) ||
                         changed(map_.live_shared_bytes[i], map_.live_shared_bytes[last]);
      if (!barrier && (!moved || map_.divergent[i] || i - last < rule_.minimum_instructions)) continue;
      boundaries_[i] = barrier ? Phase::Start::kBarrier : Phase::Start::kChange;
      last = i;
    }
  }

  // Returns the boundary of the phase at the end of a block that is entered in the phase `phase`.
  std::uint32_t phase_after(std::uint32_t block, std::uint32_t phase) const {
    const auto next = boundaries_.lower_bound(graph_.blocks()[block].end);
    if (next == boundaries_.begin()) return phase;
    const std::uint32_t last = std::prev(next)->first;
    return last >= graph_.blocks()[block].first ? last : phase;
  }

  // Sets the phase in which each block is entered. Returns true after it has added a boundary at a join of
  // two phases; the caller then repeats it.
  bool add_join_boundary() {
    entered_.assign(graph_.blocks().size(), kUnknown);
    entered_[0] = 0;
    std::vector<std::uint32_t> waiting{0};
    while (!waiting.empty()) {
      const std::uint32_t block = waiting.back();
      waiting.pop_back();
      const std::uint32_t phase = phase_after(block, entered_[block]);
      for (const std::uint32_t next : graph_.graph().successors(block)) {
        if (next == graph_.exit()) continue;
        const std::uint32_t first = graph_.blocks()[next].first;
        if (boundaries_.count(first) != 0) {
          if (entered_[next] != kUnknown) continue;
          entered_[next] = first;
          waiting.push_back(next);
        } else if (entered_[next] == kUnknown) {
          entered_[next] = phase;
          waiting.push_back(next);
        } else if (entered_[next] != phase) {
          boundaries_[first] = Phase::Start::kMeeting;
          return true;
        }
      }
    }
    return false;
  }

  void count(std::uint32_t statement) {
    const std::uint32_t block = graph_.block_of(statement);
    const auto next = boundaries_.upper_bound(statement);
    std::uint32_t first = std::prev(next)->first;
    // An unreachable statement belongs to the phase before it in text order.
    if (first < graph_.blocks()[block].first && entered_[block] != kUnknown) first = entered_[block];
    const auto at = static_cast<std::uint32_t>(std::distance(boundaries_.begin(), boundaries_.find(first)));
    map_.phase_of.push_back(at);
    Phase& phase = map_.phases[at];
    ++phase.instructions;
    phase.registers = std::max(phase.registers, map_.live_registers[statement]);
    phase.shared_bytes = std::max(phase.shared_bytes, map_.live_shared_bytes[statement]);
  }

  const Function& entry_;
  const PhaseRule rule_;
  const FlowGraph graph_;
  PhaseMap map_;
  std::map<std::uint32_t, Phase::Start> boundaries_;  // by statement
  std::vector<std::uint32_t> entered_;                // by block: boundary of the phase at its start
};

}  // namespace

PhaseMap find_phases(const Module& module, const Function& entry, const PhaseRule& rule,
                     std::uint64_t dynamic_shared) {
  return PhaseFinder(module, entry, rule, dynamic_shared).find();
}

}  // namespace heddle::ptx
