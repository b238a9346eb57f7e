#pragma once
// Control flow of a function: basic blocks, and where the lanes that a branch parted meet again.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/dominators.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// Blocks in the order of the code; block 0 is entered first, and one more node, exit(), is where all paths
// end.
//
// A ret, exit or trap under a guard adds no way to the exit: the lanes that leave there wait for nobody, and
// those that stay meet where they would without it. Only of blocks that would not reach the exit at all does
// a way lead there: from those that end so, and then from the last one of each loop that nothing leaves.
class FlowGraph {
 public:
  struct Block {
    std::uint32_t first = 0;  // instructions first .. end - 1
    std::uint32_t end = 0;
  };

  explicit FlowGraph(const Function& function);  // which has a body

  const std::vector<Block>& blocks() const { return blocks_; }
  std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t block_of(std::uint32_t statement) const { return block_of_[statement]; }
  const Graph& graph() const { return graph_; }

  // By block: its immediate post-dominator, a block or exit().
  std::vector<std::uint32_t> post_dominators() const;

  // The last instructions of blocks that lead into the middle of a loop: none in reducible flow.
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

// Sets Statement::reconvergence of every branch with a guard.
void set_reconvergence(Function& function, const FlowGraph& graph);

}  // namespace heddle::ptx
