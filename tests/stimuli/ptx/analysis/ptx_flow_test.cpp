// Basic blocks, post-dominators and reconvergence: closed forms, and brute force on random control flow.

#include "stimuli/ptx/analysis/flow_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/ptx/ptx_random.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kNowhere = Statement::kNowhere;

// Returns the label at which the lanes of each guarded branch of the body reconverge, in the order of the
// code. "-" means that they do not.
std::vector<std::string> meetings(const std::string& body) {
  const Module module = parse(kernel(body));
  const Function& function = function_of(module, "k");
  std::vector<std::string> found;
  for (const Statement& statement : function.code) {
    if (statement.opcode != Opcode::kBra || !statement.guarded()) continue;
    std::string name = statement.reconvergence == kNowhere ? "-" : "?";
    for (const Label& label : function.labels)
      if (label.statement == statement.reconvergence) name = label.name;
    found.push_back(name);
  }
  return found;
}

using Names = std::vector<std::string>;

TEST(PtxFlow, ADiamondMeetsBelow) {
  EXPECT_EQ(meetings("@%pred_0 bra B; membar.cta; bra END; B: membar.gl; END: membar.sys;"), Names{"END"});
}

TEST(PtxFlow, AnIfWithoutElseMeetsAtTheTarget) {
  EXPECT_EQ(meetings("@%pred_0 bra END; membar.cta; END: membar.sys;"), Names{"END"});
}

TEST(PtxFlow, ALoopMeetsBehindItself) {
  EXPECT_EQ(meetings("LOOP: membar.cta; @%pred_0 bra LOOP; END: membar.sys;"), Names{"END"});
}

TEST(PtxFlow, LoopsWithinLoopsMeetBehindTheirOwn) {
  EXPECT_EQ(
      meetings(
          "OUTER: membar.cta; INNER: membar.cta; @%pred_0 bra INNER; NEXT: membar.gl; @%pred_1 bra OUTER; "
          "END: membar.sys;"),
      (Names{"NEXT", "END"}));
}

TEST(PtxFlow, ABreakMeetsBehindTheLoop) {
  EXPECT_EQ(
      meetings("LOOP: membar.cta; @%pred_0 bra END; MORE: membar.gl; @%pred_1 bra LOOP; END: membar.sys;"),
      (Names{"END", "END"}));
}

TEST(PtxFlow, AContinueMeetsWhereTheLoopIsAskedAgain) {
  EXPECT_EQ(meetings("LOOP: membar.cta; @%pred_0 bra ASK; membar.gl; ASK: membar.sys; @%pred_1 bra LOOP; "
                     "END: membar.sys;"),
            (Names{"ASK", "END"}));
}

TEST(PtxFlow, WaysThatEndApartMeetNowhere) {
  EXPECT_EQ(meetings("@%pred_0 bra B; membar.cta; ret; B: membar.gl;"), Names{"-"});
  EXPECT_EQ(meetings("@%pred_0 bra B; membar.cta; exit; B: @%pred_1 bra C; membar.gl; C: membar.gl;"),
            (Names{"-", "C"}));
}

TEST(PtxFlow, AnEndUnderAGuardLetsTheOthersMeet) {
  EXPECT_EQ(meetings("@%pred_0 bra END; @%pred_1 ret; membar.cta; @%pred_2 exit; END: membar.sys;"),
            Names{"END"});
}

TEST(PtxFlow, ALoopThatOnlyGuardedEndsLeaveIsEntireInItself) {
  EXPECT_EQ(
      meetings("LOOP: membar.cta; @%pred_0 bra NEXT; membar.gl; NEXT: @%pred_1 ret; membar.sys; bra LOOP;"),
      Names{"NEXT"});
}

TEST(PtxFlow, ALoopThatNothingLeavesMeetsAtItsEnd) {
  EXPECT_EQ(meetings("LOOP: membar.cta; @%pred_0 bra NEXT; membar.gl; NEXT: membar.sys; bra LOOP;"),
            Names{"NEXT"});
}

TEST(PtxFlow, ABranchToTheNextInstructionMeetsThere) {
  EXPECT_EQ(meetings("@%pred_0 bra NEXT; NEXT: membar.sys;"), Names{"NEXT"});
}

TEST(PtxFlow, BlocksEndWhereFlowPartsOrJoins) {
  const Module module =
      parse(kernel("membar.cta; @%pred_0 ret; membar.gl; @%pred_1 bra END; membar.gl; END: membar.sys;"));
  const FlowGraph graph(function_of(module, "k"));
  std::vector<std::uint32_t> starts;
  for (const FlowGraph::Block& block : graph.blocks()) starts.push_back(block.first);
  EXPECT_EQ(starts, (std::vector<std::uint32_t>{0, 2, 4, 5}));
  EXPECT_EQ(graph.block_of(3), 1u);
  const Graph::Nodes next = graph.graph().successors(1);
  EXPECT_EQ(std::vector<std::uint32_t>(next.begin(), next.end()), (std::vector<std::uint32_t>{2, 3}));
}

TEST(PtxFlow, AnEntryIntoTheMiddleOfALoopIsIrreducible) {
  Function function;
  function.code.resize(4);
  function.code[0].opcode = Opcode::kBra;
  function.code[0].guard = 0;
  function.code[0].target = 2;
  function.code[1].opcode = Opcode::kFence;
  function.code[2].opcode = Opcode::kBra;
  function.code[2].guard = 0;
  function.code[2].target = 1;
  EXPECT_EQ(FlowGraph(function).irreducible().size(), 1u);
  function.code[0].target = 1;
  EXPECT_TRUE(FlowGraph(function).irreducible().empty());
}

// Returns the nodes that `from` reaches on paths that avoid `without`.
std::set<std::uint32_t> reached(const Graph& graph, std::uint32_t from, std::uint32_t without) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> waiting;
  if (from != without) waiting.push_back(from);
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    if (!seen.insert(node).second) continue;
    for (const std::uint32_t next : graph.successors(node))
      if (next != without) waiting.push_back(next);
  }
  return seen;
}

TEST(PtxFlow, PostDominatorsAreThoseWithoutWhichNoExitIsReached) {
  Random random(7);
  for (std::uint64_t turn = 0; turn < cases(3000); ++turn) {
    const Function function = random_function(random);
    const FlowGraph graph(function);
    const std::uint32_t exit = graph.exit();
    const auto dominates = [&](std::uint32_t above, std::uint32_t node) {
      return reached(graph.graph(), node, above).count(exit) == 0;
    };
    const std::vector<std::uint32_t> found = graph.post_dominators();
    ASSERT_EQ(found.size(), exit);
    for (std::uint32_t node = 0; node < exit; ++node) {
      ASSERT_EQ(reached(graph.graph(), node, Graph::kNone).count(exit), 1u) << turn;
      // The nearest one is post-dominated by all others of the node.
      const std::uint32_t nearest = found[node];
      ASSERT_NE(nearest, node);
      EXPECT_TRUE(nearest == exit || dominates(nearest, node)) << turn << ": " << node;
      for (std::uint32_t other = 0; other < exit; ++other)
        if (other != node && other != nearest && dominates(other, node)) {
          EXPECT_TRUE(nearest != exit && dominates(other, nearest)) << turn << ": " << node << " " << other;
        }
    }
  }
}

// Returns whether the graph is reducible: loops of one node are removed, and nodes with one predecessor are
// merged into it, until nothing changes.
bool reduces_to_one(const Graph& graph) {
  const std::set<std::uint32_t> nodes = reached(graph, 0, Graph::kNone);
  std::set<Graph::Edge> edges;
  for (const std::uint32_t node : nodes)
    for (const std::uint32_t next : graph.successors(node)) edges.insert({node, next});
  std::set<std::uint32_t> left = nodes;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t node : left) changed = edges.erase({node, node}) > 0 || changed;
    for (const std::uint32_t node : left) {
      std::vector<std::uint32_t> before;
      for (const Graph::Edge& edge : edges)
        if (edge.second == node) before.push_back(edge.first);
      if (node == 0 || before.size() != 1) continue;
      std::set<Graph::Edge> merged;
      for (Graph::Edge edge : edges) {
        if (edge.second == node) continue;
        if (edge.first == node) edge.first = before[0];
        merged.insert(edge);
      }
      edges = merged;
      left.erase(node);
      changed = true;
      break;
    }
  }
  return left.size() == 1;
}

TEST(PtxFlow, FlowIsIrreducibleWhereItCannotBeReducedToOneBlock) {
  Random random(8);
  std::uint64_t irreducible = 0;
  const std::uint64_t turns = cases(3000);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const FlowGraph graph(random_function(random));
    EXPECT_EQ(graph.irreducible().empty(), reduces_to_one(graph.graph())) << turn;
    irreducible += !graph.irreducible().empty();
  }
  EXPECT_GT(irreducible, turns / 50);
  EXPECT_LT(irreducible, turns - turns / 50);
}

TEST(PtxFlow, ALongLadderOfLoopsIsNoSlowCase) {
  Function function;
  constexpr std::uint32_t kRungs = 100000;
  function.code.resize(2 * kRungs + 1);
  for (std::uint32_t i = 0; i < 2 * kRungs; ++i) {
    function.code[i].opcode = Opcode::kBra;
    function.code[i].guard = 0;
    function.code[i].target = i < kRungs ? 2 * kRungs - i : 2 * kRungs - i - 1;
  }
  const FlowGraph graph(function);
  EXPECT_EQ(graph.post_dominators().size(), graph.blocks().size());
}

}  // namespace
}  // namespace heddle::ptx
