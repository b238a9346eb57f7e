#include "stimuli/ptx/analysis/block_merging.h"

#include <algorithm>

#include "stimuli/ptx/analysis/dominators.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostHops = 16;  // jumps to jumps
// Operations, beside moves of constants, of a block that guards replace a branch around. CUDA's programming
// guide (4.1, section 5.4.2) gives 7 where warps are likely to diverge and else 4; it does not say what it
// counts.
constexpr std::ptrdiff_t kMostPredicated = 5;

std::vector<std::vector<std::uint32_t>> predecessors(const MachineCode& code) {
  std::vector<std::vector<std::uint32_t>> before(code.blocks.size());
  for (std::uint32_t block = 0; block < code.blocks.size(); ++block)
    for (const std::uint32_t next : code.blocks[block].successors) before[next].push_back(block);
  return before;
}

// Makes blocks that lead to a block with nothing but a jump lead to the target of the jump.
void skip_jumps(MachineCode& code) {
  const auto is_jump = [&](std::uint32_t block) {
    const MachineBlock& at = code.blocks[block];
    return at.successors.size() == 1 && at.successors[0] != block &&
           (at.operations.empty() || (at.operations.size() == 1 && at.operations[0].ends_block));
  };
  for (MachineBlock& block : code.blocks)
    for (std::uint32_t& next : block.successors)
      for (std::size_t hops = 0; is_jump(next) && hops < kMostHops; ++hops)
        next = code.blocks[next].successors[0];
  std::vector<bool> reached(code.blocks.size(), false);
  std::vector<std::uint32_t> open;
  if (!code.blocks.empty()) open.push_back(0);
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (reached[block]) continue;
    reached[block] = true;
    for (const std::uint32_t next : code.blocks[block].successors) open.push_back(next);
  }
  for (std::uint32_t block = 0; block < code.blocks.size(); ++block)
    if (!reached[block]) code.blocks[block] = MachineBlock();
}

class Merger {
 public:
  explicit Merger(MachineCode& code)
      : code_(code), before_(predecessors(code)), definitions_(code.units.size()) {
    for (const MachineBlock& block : code.blocks)
      for (const MachineOperation& operation : block.operations)
        for (const std::uint32_t name : operation.writes) ++definitions_[name];
  }
  void merge() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint32_t block = static_cast<std::uint32_t>(code_.blocks.size()); block-- > 0;)
        while (append(block) || predicate(block)) changed = true;
    }
  }

 private:
  void drop_branch(MachineBlock& block) {
    if (!block.operations.empty() && block.operations.back().ends_block) block.operations.pop_back();
  }
  void disconnect(std::uint32_t from, std::uint32_t to) {
    auto& list = before_[to];
    list.erase(std::find(list.begin(), list.end(), from));
  }
  bool append(std::uint32_t block) {
    MachineBlock& a = code_.blocks[block];
    if (a.successors.size() != 1) return false;
    const std::uint32_t next = a.successors[0];
    if (next == block || next == 0 || before_[next].size() != 1) return false;
    drop_branch(a);
    MachineBlock& b = code_.blocks[next];
    for (MachineOperation& operation : b.operations) a.operations.push_back(std::move(operation));
    a.successors = b.successors;
    for (const std::uint32_t far : b.successors)
      std::replace(before_[far].begin(), before_[far].end(), next, block);
    b = MachineBlock();
    before_[next].clear();
    return true;
  }
  bool is_side(std::uint32_t block, std::uint32_t side, std::uint32_t join) const {
    const MachineBlock& b = code_.blocks[side];
    if (side == block || side == 0 || before_[side].size() != 1 || b.successors.size() != 1 ||
        b.successors[0] != join || side == join)
      return false;
    const auto counts = [](const MachineOperation& operation) {
      return !operation.reads.empty() || operation.memory != MachineOperation::Memory::kNone;
    };
    if (std::count_if(b.operations.begin(), b.operations.end(), counts) > kMostPredicated) return false;
    for (const MachineOperation& operation : b.operations)
      if (operation.memory == MachineOperation::Memory::kFence || operation.temporaries > 2) return false;
    return true;
  }
  bool predicate(std::uint32_t block) {
    MachineBlock& a = code_.blocks[block];
    if (a.successors.size() != 2 || a.operations.empty() || !a.operations.back().ends_block) return false;
    const std::vector<std::uint32_t> guard = a.operations.back().reads;
    const std::uint32_t x = a.successors[0];
    const std::uint32_t y = a.successors[1];
    std::vector<std::uint32_t> sides;
    std::uint32_t join = Graph::kNone;
    if (is_side(block, x, y)) {
      sides = {x};
      join = y;
    } else if (is_side(block, y, x)) {
      sides = {y};
      join = x;
    } else if (code_.blocks[x].successors.size() == 1 && is_side(block, x, code_.blocks[x].successors[0]) &&
               is_side(block, y, code_.blocks[x].successors[0])) {
      sides = {x, y};
      join = code_.blocks[x].successors[0];
    } else {
      return false;
    }
    if (join == block) return false;
    drop_branch(a);
    for (const std::uint32_t side : sides) {
      for (MachineOperation& operation : code_.blocks[side].operations) {
        if (operation.ends_block) continue;
        for (const std::uint32_t name : guard)
          if (std::find(operation.reads.begin(), operation.reads.end(), name) == operation.reads.end())
            operation.reads.push_back(name);
        for (const std::uint32_t name : operation.writes)
          operation.keeps_old = operation.keeps_old || definitions_[name] > 1;
        operation.steps = operation.compares = false;
        a.operations.push_back(std::move(operation));
      }
      code_.blocks[side] = MachineBlock();
      disconnect(side, join);
      before_[side].clear();
    }
    if (sides.size() == 2) before_[join].push_back(block);
    a.successors = {join};
    return true;
  }

  MachineCode& code_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint32_t> definitions_;
};

}  // namespace

void merge_blocks(MachineCode& code) {
  skip_jumps(code);
  Merger(code).merge();
}

}  // namespace heddle::ptx
