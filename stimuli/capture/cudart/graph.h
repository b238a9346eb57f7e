#pragma once
// Graphs of operations, and what becomes of them when they are instantiated.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "stimuli/capture/cudart/operation.h"

namespace heddle::capture {

class Session;

struct Node {
  Operation operation;
  std::vector<Node*> dependencies;  // each once
  Graph* graph = nullptr;
  std::vector<void*> arguments;  // pointers to the parameters of a launch, for those who ask
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  // in the order of their creation
};

// An ExecutableGraph performs the operations of a graph in an order in which each follows those that it
// depends on. Operations that do not depend on each other are on different lanes; a lane is a stream. An
// operation is on the lane of one that it depends on if it can be the next one there, else on a lane of its
// own. Events make it wait for the others, so the streams keep the dependencies of the graph and no more.
class ExecutableGraph {
 public:
  static constexpr std::uint64_t kUseNodePriority = 8;  // a flag of instantiation

  // Throws std::runtime_error if nodes depend on each other in a circle.
  explicit ExecutableGraph(const Graph& graph, std::uint64_t flags = 0);

  std::uint64_t flags() const { return flags_; }

  // Returns the operations and dependencies that a launch performs.
  std::shared_ptr<Graph> graph() const;

  // Returns the operation of a node of the graph, which a caller may change; null: it has none.
  Operation* operation_of(const Node* node);
  // Takes the operations of a graph with the same nodes and dependencies. Returns false if it has others.
  bool update(const ExecutableGraph& other);
  // Performs all operations; `stream` waits for them, and they wait for what `stream` has. A second launch
  // waits for the first one. Kernels have the priority of the stream, or with kUseNodePriority their own.
  void launch(Runtime& runtime, std::uint32_t stream, int priority);
  // Returns the streams that belong to the graph alone.
  const std::vector<std::uint32_t>& streams() const { return streams_; }

 private:
  struct Step {
    Operation operation;
    std::vector<std::size_t> dependencies;  // earlier steps, in ascending order
    std::size_t lane = 0;
    bool recorded = false;    // steps of other lanes, or the end, wait for it
    std::uint32_t event = 0;  // of this step, if it is recorded
    bool first_of_lane = false;
    bool last = false;  // no step depends on it
  };
  using Ends = std::vector<std::size_t>;  // the steps for which a dependent node waits

  void flatten(const Graph& graph, const Ends& before, std::map<const Node*, Ends>& ends);
  void choose_lanes();
  void prepare(Runtime& runtime);  // makes streams and events
  std::uint32_t stream_of(const Step& step, std::uint32_t stream) const;

  const std::uint64_t flags_;
  std::vector<Step> steps_;
  std::map<const Node*, std::size_t> step_of_;
  std::size_t lanes_ = 1;               // lane 0 is the stream of the launch
  std::vector<std::uint32_t> streams_;  // of the other lanes
  std::optional<std::uint32_t> begin_;  // the events of a launch
  std::optional<std::uint32_t> done_;
  std::uint32_t last_stream_ = 0;
};

// The graphs of a program.
class Graphs {
 public:
  Graph* create();
  Graph* adopt(std::shared_ptr<Graph> graph);
  Graph* find(const void* handle) const;  // null if there is no such graph
  Node* find_node(const void* handle) const;
  // Copies a graph with its nodes. `copies`, if it is not null, receives the copy of each node.
  static std::shared_ptr<Graph> copy_of(const Graph& graph, std::map<const Node*, Node*>* copies = nullptr);
  bool destroy(const void* handle);
  Node* add(Graph& graph, Operation operation, std::vector<Node*> dependencies);
  void erase(Node* node);

  ExecutableGraph* add(std::unique_ptr<ExecutableGraph> executable);
  ExecutableGraph* find_executable(const void* handle) const;
  bool destroy_executable(Session& session, const void* handle);
  std::set<std::uint32_t> streams() const;  // of all executable graphs
  void clear();

  std::map<const Graph*, std::map<const Node*, Node*>> clones;  // a clone's node by that of its original

 private:
  void enter(Graph& graph);
  void leave(const Graph& graph);

  std::map<const void*, std::shared_ptr<Graph>> graphs_;
  std::set<const void*> nodes_;  // of all graphs and their children
  std::map<const void*, std::unique_ptr<ExecutableGraph>> executables_;
};

}  // namespace heddle::capture
