#include "stimuli/ptx/analysis/live_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config.h"

namespace heddle::ptx {

LiveValues::LiveValues(const MachineCode& code) : code_(code) {
  find_shared();
  words_ = (shared_.size() + 63) / 64;
  if (words_ * 64 * code.blocks.size() > kMostBits)
    throw config::Error(
        {fmt::format("function '{}' in line {} is too large: {} registers live between {} blocks", code.name,
                     code.line, shared_.size(), code.blocks.size())});
  in_.assign(code.blocks.size() * words_, 0);
  solve();
}

// Only values that some block reads before it writes them can be live between blocks.
void LiveValues::find_shared() {
  dense_.assign(code_.units.size(), Graph::kNone);
  std::vector<std::uint32_t> written_in(code_.units.size(), Graph::kNone);
  for (std::uint32_t block = 0; block < code_.blocks.size(); ++block)
    for (const MachineOperation& operation : code_.blocks[block].operations) {
      for (const std::uint32_t value : operation.reads) {
        if (written_in[value] == block || dense_[value] != Graph::kNone) continue;
        dense_[value] = static_cast<std::uint32_t>(shared_.size());
        shared_.push_back(value);
      }
      if (operation.keeps_old) continue;
      for (const std::uint32_t value : operation.writes) written_in[value] = block;
    }
}

void LiveValues::set(std::vector<std::uint64_t>& bits, std::uint32_t block, std::uint32_t value,
                     bool on) const {
  const std::uint32_t bit = dense_[value];
  if (bit == Graph::kNone) return;
  std::uint64_t& word = bits[block * words_ + bit / 64];
  word = on ? word | std::uint64_t{1} << bit % 64 : word & ~(std::uint64_t{1} << bit % 64);
}

void LiveValues::solve() {
  const auto blocks = static_cast<std::uint32_t>(code_.blocks.size());
  std::vector<std::uint64_t> written(blocks * words_);
  std::vector<Graph::Edge> edges;
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::vector<MachineOperation>& operations = code_.blocks[block].operations;
    for (std::size_t i = operations.size(); i-- > 0;) {
      if (!operations[i].keeps_old)
        for (const std::uint32_t value : operations[i].writes) {
          set(written, block, value, true);
          set(in_, block, value, false);
        }
      for (const std::uint32_t value : operations[i].reads) set(in_, block, value, true);
    }
    for (const std::uint32_t next : code_.blocks[block].successors) edges.emplace_back(next, block);
    waiting.push_back(block);
  }
  const Graph backwards(blocks, edges);
  std::vector<bool> queued(blocks, true);
  while (!waiting.empty()) {
    const std::uint32_t block = waiting.back();
    waiting.pop_back();
    queued[block] = false;
    bool changed = false;
    for (const std::uint32_t next : code_.blocks[block].successors)
      for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t& mine = in_[block * words_ + word];
        const std::uint64_t more = in_[next * words_ + word] & ~written[block * words_ + word] & ~mine;
        mine |= more;
        changed = changed || more != 0;
      }
    if (!changed) continue;
    for (const std::uint32_t before : backwards.successors(block))
      if (!queued[before]) {
        queued[before] = true;
        waiting.push_back(before);
      }
  }
}

namespace {

// Walks through the operations of blocks, from the last one to the first, with the values that are live.
class PressureWalk {
 public:
  explicit PressureWalk(const MachineCode& code) : code_(code), live_in_(code), live_(code.units.size()) {}

  // Calls found(i, registers) with all registers that are live at some time of operation i, and first with
  // those at the end of the block, where i is the number of operations.
  template <class Found>
  void visit(std::uint32_t at, const Found& found) {
    const MachineBlock& block = code_.blocks[at];
    now_ = block.held;
    names_.clear();
    for (const std::uint32_t next : block.successors)
      live_in_.visit(next, [&](std::uint32_t name) { set(name, true); });
    found(block.operations.size(), now_);
    for (std::size_t i = block.operations.size(); i-- > 0;) {
      const MachineOperation& operation = block.operations[i];
      std::uint32_t unread = 0;
      for (const std::uint32_t name : operation.writes) unread += live_[name] != 0 ? 0 : code_.units[name];
      found(i, now_ + unread);
      if (!operation.keeps_old)
        for (const std::uint32_t name : operation.writes) set(name, false);
      for (const std::uint32_t name : operation.reads) set(name, true);
      found(i, now_ + operation.temporaries);
    }
    for (const std::uint32_t name : names_) live_[name] = 0;
  }

  // Returns the values that are live now and take registers.
  std::vector<std::uint32_t> live() const {
    std::vector<std::uint32_t> result;
    for (const std::uint32_t name : names_)
      if (live_[name] != 0 && code_.units[name] != 0) result.push_back(name);
    return result;
  }

 private:
  void set(std::uint32_t name, bool on) {
    if (live_[name] == static_cast<std::uint8_t>(on)) return;
    live_[name] = on;
    now_ = on ? now_ + code_.units[name] : now_ - code_.units[name];
    if (on) names_.push_back(name);
  }

  const MachineCode& code_;
  const LiveValues live_in_;
  std::vector<std::uint8_t> live_;
  std::vector<std::uint32_t> names_;  // that are or were live in the block
  std::uint32_t now_ = 0;
};

}  // namespace

Pressure pressure_of(const MachineCode& code) {
  PressureWalk walk(code);
  Pressure most;
  for (std::uint32_t block = 0; block < code.blocks.size(); ++block)
    walk.visit(block, [&](std::size_t, std::uint32_t registers) {
      if (registers <= most.registers) return;
      most.registers = registers;
      most.live = walk.live();
    });
  return most;
}

std::vector<std::uint32_t> pressure_by_statement(const MachineCode& code, const FlowGraph& graph) {
  PressureWalk walk(code);
  std::vector<std::uint32_t> result(graph.blocks().back().end);
  std::vector<std::uint32_t> held;  // by operation of the block, and at its end
  for (std::uint32_t block = 0; block < code.blocks.size(); ++block) {
    const std::vector<MachineOperation>& operations = code.blocks[block].operations;
    held.assign(operations.size() + 1, 0);
    walk.visit(block,
               [&](std::size_t i, std::uint32_t registers) { held[i] = std::max(held[i], registers); });
    std::size_t next = operations.size();
    for (std::uint32_t i = graph.blocks()[block].end; i-- > graph.blocks()[block].first;) {
      const std::size_t end = next;
      while (next > 0 && operations[next - 1].statement == i) --next;
      result[i] = *std::max_element(held.begin() + next, held.begin() + std::max(end, next + 1));
    }
  }
  return result;
}

}  // namespace heddle::ptx
