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

Pressure pressure_of(const MachineCode& code) {
  const LiveValues live_in(code);
  std::vector<std::uint8_t> live(code.units.size());
  Pressure most;
  std::vector<std::uint32_t> names;  // that are or were live in the block
  const auto found = [&](std::uint32_t registers) {
    if (registers <= most.registers) return;
    most.registers = registers;
    most.live.clear();
    for (const std::uint32_t name : names)
      if (live[name] != 0 && code.units[name] != 0) most.live.push_back(name);
  };
  for (const MachineBlock& block : code.blocks) {
    std::uint32_t now = block.held;
    const auto set = [&](std::uint32_t name, bool on) {
      if (live[name] == static_cast<std::uint8_t>(on)) return;
      live[name] = on;
      now = on ? now + code.units[name] : now - code.units[name];
      if (on) names.push_back(name);
    };
    names.clear();
    for (const std::uint32_t next : block.successors)
      live_in.visit(next, [&](std::uint32_t name) { set(name, true); });
    found(now);
    for (std::size_t i = block.operations.size(); i-- > 0;) {
      const MachineOperation& operation = block.operations[i];
      std::uint32_t unread = 0;
      for (const std::uint32_t name : operation.writes) unread += live[name] != 0 ? 0 : code.units[name];
      found(now + unread);
      if (!operation.keeps_old)
        for (const std::uint32_t name : operation.writes) set(name, false);
      for (const std::uint32_t name : operation.reads) set(name, true);
      found(now + operation.temporaries);
    }
    for (const std::uint32_t name : names) live[name] = 0;
  }
  return most;
}

}  // namespace heddle::ptx
