#include "stimuli/ptx/analysis/phases.h"

#include <algorithm>
#include <map>
#include <utility>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/held_registers.h"
#include "stimuli/ptx/analysis/shared_liveness.h"

namespace heddle::ptx {
namespace {

// A boundary is the number of the statement behind it plus one; kAtEntry is the start of the kernel.
using Boundary = std::uint32_t;
constexpr Boundary kAtEntry = 0;
constexpr Boundary kUnknown = ~Boundary{0};

struct Needs {
  std::uint32_t registers = 0;
  std::uint64_t shared_bytes = 0;

  bool operator!=(const Needs& other) const {
    return registers != other.registers || shared_bytes != other.shared_bytes;
  }
  void cover(const Needs& other) {
    registers = std::max(registers, other.registers);
    shared_bytes = std::max(shared_bytes, other.shared_bytes);
  }
};

class PhaseFinder {
 public:
  PhaseFinder(const Module& module, const Function& entry, const PhaseLimits& limits)
      : entry_(entry), graph_(entry) {
    map_.live_registers = held_registers(module, entry, graph_, limits.registers);
    map_.live_shared_bytes = live_shared_bytes(module, entry, graph_, limits.dynamic_shared);
    const std::vector<bool> blocks = divergent_blocks(entry, graph_);
    for (std::uint32_t i = 0; i < entry.code.size(); ++i)
      map_.divergent.push_back(blocks[graph_.block_of(i)]);
    needs_ahead_ = find_needs_ahead();
  }

  // Returns the number of phases.
  std::size_t find(const PhaseRule& rule) {
    mark_changes(rule);
    find_needs();
    while (drop_boundaries(rule.live_change)) find_needs();
    while (follow_phases(rule.live_change, true)) find_needs();
    while (drop_boundaries(0)) find_needs();
    return boundaries_.size();
  }

  PhaseMap map() {
    follow_phases(0, false);
    std::map<Boundary, std::uint32_t> numbers;
    for (const auto& [boundary, start] : boundaries_) {
      numbers[boundary] = static_cast<std::uint32_t>(map_.phases.size());
      Phase phase;
      phase.first = boundary == kAtEntry ? 0 : boundary - 1;
      phase.start = start;
      phase.registers = needs_[boundary].registers;
      phase.shared_bytes = needs_[boundary].shared_bytes;
      map_.phases.push_back(phase);
    }
    for (std::uint32_t i = 0; i < entry_.code.size(); ++i) {
      map_.phase_of.push_back(numbers.at(at(i).phase));
      Phase& phase = map_.phases[map_.phase_of.back()];
      ++phase.instructions;
      if (is_wait(entry_.code[i])) ++phase.waits;
    }
    return std::move(map_);
  }

 private:
  static bool changed(const Needs& now, const Needs& before, double share) {
    return changes(now.registers, before.registers, share) ||
           changes(static_cast<double>(now.shared_bytes), static_cast<double>(before.shared_bytes), share);
  }
  Needs live_at(std::uint32_t statement) const {
    return {map_.live_registers[statement], map_.live_shared_bytes[statement]};
  }

  // The end of a thread gives back what a phase before it would.
  bool may_start(std::uint32_t statement) const {
    const Opcode opcode = entry_.code[statement].opcode;
    const bool ends = opcode == Opcode::kRet || opcode == Opcode::kExit;
    return !map_.divergent[statement] && (!ends || entry_.code[statement].guarded());
  }

  // Returns by statement what is live there and behind it, up to the next statement at which lanes cannot
  // diverge. No boundary can stand in between, so that what a divergent region needs counts at the branch
  // before it.
  std::vector<Needs> find_needs_ahead() const {
    std::vector<Needs> ahead(entry_.code.size());
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t block = graph_.exit(); block-- > 0;) {
        Needs behind;
        for (const std::uint32_t next : graph_.graph().successors(block))
          if (next != graph_.exit() && map_.divergent[graph_.blocks()[next].first])
            behind.cover(ahead[graph_.blocks()[next].first]);
        for (std::uint32_t i = graph_.blocks()[block].end; i-- > graph_.blocks()[block].first;) {
          Needs needs = live_at(i);
          needs.cover(behind);
          again = again || ahead[i] != needs;
          ahead[i] = needs;
          behind = map_.divergent[i] ? needs : Needs();
        }
      }
    }
    return ahead;
  }

  // Follows the flow of control: a block goes on from the block from which a depth-first search reaches it.
  void mark_changes(const PhaseRule& rule) {
    struct Last {
      Needs needs;                     // at the last boundary
      std::uint32_t instructions = 0;  // since then
    };
    boundaries_ = {{kAtEntry, Phase::Start::kEntry}};
    std::vector<Last> at_end(graph_.exit());
    const DepthFirst walk(graph_.graph(), 0);
    for (const std::uint32_t block : walk.order) {
      if (block == graph_.exit()) continue;
      Last last = block == 0 ? Last{needs_ahead_[0], 0} : at_end[walk.parent[block]];
      for (std::uint32_t i = graph_.blocks()[block].first; i < graph_.blocks()[block].end; ++i) {
        if (i > 0 && may_start(i) && last.instructions >= rule.minimum_instructions &&
            changed(needs_ahead_[i], last.needs, rule.live_change)) {
          boundaries_[i + 1] = Phase::Start::kChange;
          last = {needs_ahead_[i], 0};
        }
        ++last.instructions;
      }
      at_end[block] = last;
    }
  }

  // The boundary of the phase of a statement, and whether statements of other phases lead to it, too.
  struct Place {
    Boundary phase = kUnknown;
    bool is_shared = false;
  };

  Place at(std::uint32_t statement) const {
    const std::uint32_t block = graph_.block_of(statement);
    const Boundary last = std::prev(boundaries_.upper_bound(statement + 1))->first;
    // An unreachable statement belongs to the phase before it in text order.
    if (last > graph_.blocks()[block].first || entered_[block].phase == kUnknown) return {last, false};
    return entered_[block];
  }

  Place before(std::uint32_t statement) const {
    const std::uint32_t block = graph_.block_of(statement);
    return statement == graph_.blocks()[block].first ? entered_[block] : at(statement - 1);
  }

  // Sets the place at which each block is entered, where phases are different if one needs that share
  // more or less than the other. If `adds_meetings` is set, the function returns true when it has added a
  // boundary at a join of different phases.
  bool follow_phases(double share, bool adds_meetings) {
    entered_.assign(graph_.exit(), {});
    entered_[0].phase = kAtEntry;
    std::vector<std::uint32_t> waiting{0};
    while (!waiting.empty()) {
      const Place from = at(graph_.blocks()[waiting.back()].end - 1);
      const Graph::Nodes successors = graph_.graph().successors(waiting.back());
      waiting.pop_back();
      for (const std::uint32_t next : successors) {
        if (next == graph_.exit()) continue;
        Place& place = entered_[next];
        const bool is_new = place.phase == kUnknown;
        if (is_new) place.phase = from.phase;
        const Needs& other = needs_.at(place.phase);
        const Needs& needs = needs_.at(from.phase);
        const bool is_shared =
            place.is_shared || from.is_shared || changed(other, needs, share) || changed(needs, other, share);
        if (is_shared && adds_meetings && add_meeting(graph_.blocks()[next].first)) return true;
        if (is_new || is_shared != place.is_shared) waiting.push_back(next);
        place.is_shared = is_shared;
      }
    }
    return false;
  }

  bool add_meeting(std::uint32_t statement) {
    return may_start(statement) && boundaries_.emplace(statement + 1, Phase::Start::kMeeting).second;
  }

  // Sets what each phase needs: the most that is live on any path from its boundary to the next one.
  void find_needs() {
    needs_.clear();
    std::vector<Needs> from(graph_.exit());  // by block: needs from its start to the next boundary
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t block = graph_.exit(); block-- > 0;) {
        Needs needs;
        for (const std::uint32_t next : graph_.graph().successors(block))
          if (next != graph_.exit()) needs.cover(from[next]);
        for (std::uint32_t i = graph_.blocks()[block].end; i-- > graph_.blocks()[block].first;) {
          needs.cover(live_at(i));
          if (boundaries_.count(i + 1) != 0) needs_[i + 1] = std::exchange(needs, {});
        }
        again = again || from[block] != needs;
        from[block] = needs;
      }
    }
    // A specifier at the first statement ends the phase at the entry before it needs anything.
    needs_[kAtEntry] = boundaries_.count(1) != 0 ? needs_[1] : from[0];
  }

  // Drops boundaries at which needs change by less than the share on every path. Of two neighbours in the
  // text only one is dropped, because the needs of the other may change then. Returns whether it has dropped
  // any.
  bool drop_boundaries(double share) {
    follow_phases(share, false);
    std::vector<Boundary> dropped;
    bool dropped_last = true;  // the entry stays
    for (const auto& [boundary, start] : boundaries_) {
      const Place place = dropped_last ? Place() : before(boundary - 1);
      dropped_last = place.phase != kUnknown && !place.is_shared &&
                     !changed(needs_.at(boundary), needs_.at(place.phase), share);
      if (dropped_last) dropped.push_back(boundary);
    }
    for (const Boundary boundary : dropped) boundaries_.erase(boundary);
    return !dropped.empty();
  }

  const Function& entry_;
  const FlowGraph graph_;
  PhaseMap map_;
  std::vector<Needs> needs_ahead_;  // by statement
  std::map<Boundary, Phase::Start> boundaries_;
  std::map<Boundary, Needs> needs_;
  std::vector<Place> entered_;  // by block: at its start, without a boundary that stands there
};

}  // namespace

bool is_wait(const Statement& statement) {
  return statement.opcode == Opcode::kBarSync || statement.opcode == Opcode::kBarRed ||
         statement.opcode == Opcode::kBarArrive || statement.opcode == Opcode::kFence;
}

PhaseMap find_phases(const Module& module, const Function& entry, PhaseRule rule, const PhaseLimits& limits) {
  PhaseFinder finder(module, entry, limits);
  while (finder.find(rule) > kMostPhases)
    rule.minimum_instructions = 2 * std::max(1U, rule.minimum_instructions);
  return finder.map();
}

}  // namespace heddle::ptx
