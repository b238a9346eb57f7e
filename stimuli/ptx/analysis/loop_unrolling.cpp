#include "stimuli/ptx/analysis/loop_unrolling.h"

#include <algorithm>
#include <map>
#include <utility>

#include "stimuli/ptx/analysis/live_values.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kCopies = 4;        // of a loop's body
constexpr std::size_t kMostUnrolled = 200;  // operations of all copies

// Repeats the body of a loop of one block whose number of turns is known when it starts.
class Unroller {
 public:
  Unroller(MachineCode& code, const LiveValues& live_in, std::uint32_t block)
      : code_(code), body_(code.blocks[block]), block_(block) {
    live_in.visit(block, [&](std::uint32_t name) { live_in_.push_back(name); });
    for (const std::uint32_t next : body_.successors)
      live_in.visit(next, [&](std::uint32_t name) { live_out_.push_back(name); });
    std::sort(live_in_.begin(), live_in_.end());
    std::sort(live_out_.begin(), live_out_.end());
    for (std::uint32_t i = 0; i < body_.operations.size(); ++i)
      for (const std::uint32_t name : body_.operations[i].writes) ++writes_[name];
  }

  bool is_counted() {
    const auto& operations = body_.operations;
    if (operations.empty() || !operations.back().ends_block || operations.back().reads.size() != 1)
      return false;
    const std::uint32_t predicate = operations.back().reads[0];
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const MachineOperation& operation = operations[i];
      if (operation.memory == MachineOperation::Memory::kFence ||
          operation.memory == MachineOperation::Memory::kStore)
        return false;
      if (operation.steps && writes_[operation.writes[0]] == 1 && has(live_in_, operation.writes[0]) &&
          !operation.keeps_old)
        steps_[operation.writes[0]] = i;
      if (operation.writes.size() == 1 && operation.writes[0] == predicate) test_ = i;
    }
    if (test_ == Graph::kNone || writes_[predicate] != 1 || !operations[test_].compares) return false;
    bool steps = false;
    for (const std::uint32_t name : operations[test_].reads) {
      if (steps_.count(name) != 0)
        steps = true;
      else if (writes_.count(name) != 0)
        return false;
    }
    return steps;
  }

  void unroll(std::uint32_t copies) {
    std::vector<MachineOperation> made;
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      const bool last = copy + 1 == copies;
      std::map<std::uint32_t, std::uint32_t> fresh;
      for (std::uint32_t i = 0; i < body_.operations.size(); ++i) {
        MachineOperation operation = body_.operations[i];
        if (!last && (i == test_ || operation.ends_block)) continue;
        if (const bool step = operation.steps && is_step(operation.writes[0], i); step) {
          passed_[operation.writes[0]] = copy + 1;
          if (!last) continue;
          operation.offset *= copies;
          made.push_back(operation);
          continue;
        }
        for (std::uint32_t& name : operation.reads) name = read(name, operation, last, made);
        for (std::uint32_t& name : operation.writes) {
          if (last && (has(live_out_, name))) {
            version_.erase(name);
            continue;
          }
          version_[name] = fresh_value(name);
          name = version_[name];
        }
        made.push_back(operation);
      }
    }
    body_.operations = std::move(made);
    body_.held += 1;
  }

 private:
  static bool has(const std::vector<std::uint32_t>& names, std::uint32_t name) {
    return std::binary_search(names.begin(), names.end(), name);
  }
  bool is_step(std::uint32_t name, std::uint32_t i) const {
    const auto at = steps_.find(name);
    return at != steps_.end() && at->second == i;
  }
  std::uint32_t fresh_value(std::uint32_t name) {
    code_.units.push_back(code_.units[name]);
    return static_cast<std::uint32_t>(code_.units.size() - 1);
  }
  std::uint32_t read(std::uint32_t name, MachineOperation& operation, bool last,
                     std::vector<MachineOperation>& made) {
    const auto step = steps_.find(name);
    if (step == steps_.end()) {
      const auto at = version_.find(name);
      return at == version_.end() ? name : at->second;
    }
    const std::uint32_t turns = passed_[name];
    // After the last step the value itself is read.
    if (turns == 0 || (last && is_stepped(name, made))) return name;
    const std::uint64_t distance = body_.operations[step->second].offset * turns;
    if (operation.base == name) {
      operation.offset += distance;
      return name;
    }
    auto& ahead = ahead_[{name, turns}];
    if (ahead == 0) {
      ahead = fresh_value(name);
      MachineOperation sum;
      sum.reads = {name};
      sum.writes = {ahead};
      sum.latency = 10;
      made.push_back(sum);
    }
    return ahead;
  }
  bool is_stepped(std::uint32_t name, const std::vector<MachineOperation>& made) const {
    for (std::size_t i = made.size(); i-- > 0;)
      if (made[i].steps && made[i].writes[0] == name) return true;
    return false;
  }

  MachineCode& code_;
  MachineBlock& body_;
  std::uint32_t block_;
  std::uint32_t test_ = Graph::kNone;
  std::vector<std::uint32_t> live_in_;
  std::vector<std::uint32_t> live_out_;
  std::map<std::uint32_t, std::uint32_t> writes_;  // by name
  std::map<std::uint32_t, std::uint32_t> steps_;   // by name: the operation
  std::map<std::uint32_t, std::uint32_t> passed_;  // by name: steps so far
  std::map<std::uint32_t, std::uint32_t> version_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ahead_;
};

}  // namespace

void unroll_loops(MachineCode& code) {
  const LiveValues live_in(code);
  for (std::uint32_t block = 0; block < code.blocks.size(); ++block) {
    const MachineBlock& body = code.blocks[block];
    if (std::find(body.successors.begin(), body.successors.end(), block) == body.successors.end()) continue;
    if (body.operations.size() * kCopies > kMostUnrolled) continue;
    Unroller unroller(code, live_in, block);
    if (unroller.is_counted()) unroller.unroll(kCopies);
  }
}

}  // namespace heddle::ptx
