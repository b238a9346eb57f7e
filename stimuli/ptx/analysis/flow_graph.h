#pragma once
// The control flow graph of a function, and the reconvergence points of its branches.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/dominators.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// The nodes are the basic blocks in the order of the code, and exit(), where all paths end. Execution enters
// block 0 first.
//
// A guarded ret, exit or trap adds no edge to the exit, because it does not change where the remaining lanes
// reconverge. Edges to the exit are added only from blocks that would not reach it otherwise: from blocks
// that end with such a statement, and then from the last block of each infinite loop.
class FlowGraph {
 public:
  struct Block {
    std::uint32_t first = 0;  // statements first .. end - 1
    std::uint32_t end = 0;
  };

  // The function has a body.
  explicit FlowGraph(const Function& function);

  const std::vector<Block>& blocks() const { return blocks_; }
  std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t block_of(std::uint32_t statement) const { return block_of_[statement]; }
  const Graph& graph() const { return graph_; }

  // Returns for each block its immediate post-dominator, which is a block or exit().
  std::vector<std::uint32_t> post_dominators() const;

  // Returns the last statements of blocks that jump into the middle of a loop; none if the flow is reducible.
  std::vector<std::uint32_t> irreducible() const;

 private:
  void find_blocks(const Function& function);
  std::vector<Graph::Edge> find_edges(const Function& function) const;
  static Graph lead_all_out(const Function& function, const std::vector<Block>& blocks,
                            std::vector<Graph::Edge> edges);

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;
  Graph graph_;
};

// Sets Statement::reconvergence of every guarded branch.
void set_reconvergence(Function& function, const FlowGraph& graph);

}  // namespace heddle::ptx
