#include "stimuli/traceg/trace_phases.h"

#include <algorithm>
#include <map>

#include "models/core/base/phase_rule.h"
#include "stimuli/traceg/trace_program.h"

namespace heddle {

namespace {

struct Executed {
  Instruction code;
  bool diverged = false;  // by some lanes of a warp only
};

using Code = std::map<std::uint32_t, Executed>;  // by PC

void note_warp(BlockStream& stream, std::uint32_t warp, Code& code) {
  IssuedInstruction issued;
  std::uint32_t lanes = 0;  // of the warp that have not ended
  while (stream.peek(warp, 0) != nullptr) {
    stream.issue(warp, issued);
    if (lanes == 0) lanes = issued.mask;
    Executed& executed = code.emplace(issued.code->pc, Executed{*issued.code}).first->second;
    executed.diverged = executed.diverged || issued.mask != lanes;
    if (issued.code->operation == Operation::kExit) lanes &= ~issued.mask;
  }
}

// Returns by instruction the registers that are live, at most `most`.
std::vector<std::uint32_t> live_registers(const std::vector<Executed>& code, std::uint32_t most) {
  constexpr std::size_t kNever = ~std::size_t{0};
  std::vector<std::size_t> first(kRegisterNames, kNever);
  std::vector<std::size_t> last(kRegisterNames, kNever);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& at = code[i].code;
    for (const RegisterId id : at.sources()) {
      // A register that is read before it is written has a value at the start.
      if (first[id] == kNever) first[id] = 0;
      last[id] = i;
    }
    for (const RegisterId id : at.destinations()) first[id] = std::min(first[id], i);
  }
  std::vector<std::int64_t> change(code.size() + 1);
  for (std::size_t id = 0; id < kRegisterNames; ++id) {
    if (first[id] == kNever) continue;
    ++change[first[id]];
    --change[std::max(first[id], last[id] == kNever ? 0 : last[id]) + 1];
  }
  std::vector<std::uint32_t> live;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    now += change[i];
    live.push_back(std::min(static_cast<std::uint32_t>(now), most));
  }
  return live;
}

// Returns the first instruction at which the next phase may start.
std::size_t end_of_phase(const std::vector<Executed>& code, const std::vector<std::uint32_t>& live,
                         std::size_t first, const PhaseRule& rule) {
  for (std::size_t i = first + std::max(1U, rule.minimum_instructions); i < code.size(); ++i)
    if (!code[i].diverged && code[i].code.operation != Operation::kExit &&
        changes(live[i], live[first], rule.live_change))
      return i;
  return code.size();
}

}  // namespace

std::uint8_t TracePhases::phase_of(std::uint32_t pc) const {
  const auto next = std::upper_bound(starts.begin(), starts.end(), pc);
  return next == starts.begin() ? std::uint8_t{0} : static_cast<std::uint8_t>(next - starts.begin() - 1);
}

TracePhases find_trace_phases(const std::string& file, const TraceLimits& limits, const std::string& cache) {
  TraceProgram program(file, limits, false, cache);
  BlockStream& stream = program.start(BlockId{0});
  Code by_pc;
  for (std::uint32_t warp = 0; warp < program.header().warps(); ++warp) note_warp(stream, warp, by_pc);
  std::vector<Executed> code;
  for (const auto& [pc, executed] : by_pc) code.push_back(executed);
  const BlockShape& shape = program.header().shape;
  const std::vector<std::uint32_t> live = live_registers(code, shape.registers_per_thread);
  TracePhases phases;
  if (std::all_of(live.begin(), live.end(), [](std::uint32_t registers) { return registers == 0; }))
    return phases;
  const PhaseRule rule;
  for (std::size_t i = 0; i < code.size();) {
    const std::size_t end = end_of_phase(code, live, i, rule);
    const std::uint32_t most = *std::max_element(live.begin() + i, live.begin() + end);
    const bool starts = i == 0 || (phases.needs.size() < kMostPhases &&
                                   changes(most, phases.needs.back().registers_per_thread, rule.live_change));
    if (starts) {
      phases.starts.push_back(i == 0 ? 0 : code[i].code.pc);
      phases.needs.push_back({most, shape.shared_bytes});
    }
    std::uint32_t& needed = phases.needs.back().registers_per_thread;
    needed = std::max(needed, most);
    i = end;
  }
  return phases;
}

}  // namespace heddle
