#include "stimuli/capture/cudart/graph.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

// Calls visit(node) for each node after those that it depends on, else in the order of their creation.
template <typename Visit>
void visit_in_order(const Graph& graph, const Visit& visit) {
  enum class Mark { kNone, kOpen, kDone };
  std::map<const Node*, Mark> marks;
  for (const auto& root : graph.nodes) {
    std::vector<std::pair<const Node*, std::size_t>> path;  // with the next dependency to look at
    if (marks[root.get()] == Mark::kNone) path.emplace_back(root.get(), 0);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      marks[node] = Mark::kOpen;
      if (next == node->dependencies.size()) {
        marks[node] = Mark::kDone;
        visit(*node);
        path.pop_back();
        continue;
      }
      const Node* const wanted = node->dependencies[next++];
      if (marks[wanted] == Mark::kOpen)
        throw std::runtime_error("nodes of a graph depend on each other in a circle");
      if (marks[wanted] == Mark::kNone) path.emplace_back(wanted, 0);
    }
  }
}

void merge(std::vector<std::size_t>& into, const std::vector<std::size_t>& from) {
  into.insert(into.end(), from.begin(), from.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

}  // namespace

ExecutableGraph::ExecutableGraph(const Graph& graph, std::uint64_t flags) : flags_(flags) {
  std::map<const Node*, Ends> ends;
  flatten(graph, {}, ends);
  choose_lanes();
}

// A child graph's nodes stand in the place of their node. A node without an operation is no step: those that
// depend on it depend on what it depends on.
void ExecutableGraph::flatten(const Graph& graph, const Ends& before, std::map<const Node*, Ends>& ends) {
  visit_in_order(graph, [&](const Node& node) {
    Ends dependencies;
    for (const Node* dependency : node.dependencies) merge(dependencies, ends.at(dependency));
    if (node.dependencies.empty()) dependencies = before;
    if (const auto* const child = std::get_if<ChildOperation>(&node.operation)) {
      std::set<const Node*> sinks;
      flatten(*child->graph, dependencies, ends);
      for (const auto& inner : child->graph->nodes) sinks.insert(inner.get());
      for (const auto& inner : child->graph->nodes)
        for (const Node* dependency : inner->dependencies) sinks.erase(dependency);
      Ends& all = ends[&node];
      for (const auto& inner : child->graph->nodes)
        if (sinks.count(inner.get()) != 0) merge(all, ends.at(inner.get()));
      if (child->graph->nodes.empty()) all = dependencies;
    } else if (std::holds_alternative<EmptyOperation>(node.operation)) {
      ends[&node] = dependencies;
    } else {
      ends[&node] = {steps_.size()};
      step_of_[&node] = steps_.size();
      Step step;
      step.operation = node.operation;
      step.dependencies = std::move(dependencies);
      steps_.push_back(std::move(step));
    }
  });
}

void ExecutableGraph::choose_lanes() {
  std::vector<std::size_t> tail_of_lane;  // the last step of each lane
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    Step& step = steps_[at];
    step.last = true;
    step.lane = tail_of_lane.size();
    for (const std::size_t earlier : step.dependencies)
      if (tail_of_lane[steps_[earlier].lane] == earlier)
        step.lane = std::min(step.lane, steps_[earlier].lane);
    step.first_of_lane = step.lane == tail_of_lane.size();
    if (step.first_of_lane) tail_of_lane.push_back(at);
    tail_of_lane[step.lane] = at;
    for (const std::size_t earlier : step.dependencies) {
      steps_[earlier].last = false;
      if (steps_[earlier].lane != step.lane) steps_[earlier].recorded = true;
    }
  }
  for (Step& step : steps_)
    if (step.last && step.lane != 0) step.recorded = true;
  lanes_ = std::max<std::size_t>(1, tail_of_lane.size());
}

std::shared_ptr<Graph> ExecutableGraph::graph() const {
  auto graph = std::make_shared<Graph>();
  for (const Step& step : steps_) {
    auto node = std::make_unique<Node>();
    node->operation = step.operation;
    node->graph = graph.get();
    for (const std::size_t earlier : step.dependencies)
      node->dependencies.push_back(graph->nodes[earlier].get());
    graph->nodes.push_back(std::move(node));
  }
  return graph;
}

Operation* ExecutableGraph::operation_of(const Node* node) {
  const auto found = step_of_.find(node);
  return found == step_of_.end() ? nullptr : &steps_[found->second].operation;
}

bool ExecutableGraph::update(const ExecutableGraph& other) {
  if (other.steps_.size() != steps_.size()) return false;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].operation.index() != other.steps_[i].operation.index() ||
        steps_[i].dependencies != other.steps_[i].dependencies)
      return false;
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].operation = other.steps_[i].operation;
  return true;
}

void ExecutableGraph::prepare(Runtime& runtime) {
  if (done_) return;
  begin_ = runtime.next_event++;
  done_ = runtime.next_event++;
  while (streams_.size() + 1 < lanes_) streams_.push_back(runtime.session().create_stream(true));
  for (Step& step : steps_)
    if (step.recorded) step.event = runtime.next_event++;
}

std::uint32_t ExecutableGraph::stream_of(const Step& step, std::uint32_t stream) const {
  return step.lane == 0 ? stream : streams_[step.lane - 1];
}

void ExecutableGraph::launch(Runtime& runtime, std::uint32_t stream, int priority) {
  const bool uses_own = (flags_ & kUseNodePriority) != 0;
  Session& session = runtime.session();
  const bool again = done_.has_value();
  prepare(runtime);
  if (again && last_stream_ != stream) session.note(Kind::kWait, stream, *done_);
  if (lanes_ > 1) session.note(Kind::kRecord, stream, *begin_);
  for (const Step& step : steps_) {
    const std::uint32_t own = stream_of(step, stream);
    if (step.first_of_lane && step.lane != 0 && step.dependencies.empty())
      session.note(Kind::kWait, own, *begin_);
    for (const std::size_t earlier : step.dependencies)
      if (steps_[earlier].lane != step.lane) session.note(Kind::kWait, own, steps_[earlier].event);
    perform(runtime, step.operation, {own, uses_own ? kLeastPriority : priority, !uses_own});
    if (step.recorded) session.note(Kind::kRecord, own, step.event);
  }
  for (const Step& step : steps_)
    if (step.last && step.lane != 0) session.note(Kind::kWait, stream, step.event);
  session.note(Kind::kRecord, stream, *done_);
  last_stream_ = stream;
}

Graph* Graphs::create() {
  return adopt(std::make_shared<Graph>());
}

Graph* Graphs::adopt(std::shared_ptr<Graph> graph) {
  enter(*graph);
  Graph* const handle = graph.get();
  graphs_[handle] = std::move(graph);
  return handle;
}

void Graphs::enter(Graph& graph) {
  for (const auto& node : graph.nodes) {
    nodes_.insert(node.get());
    if (const auto* const child = std::get_if<ChildOperation>(&node->operation)) adopt(child->graph);
  }
}

void Graphs::leave(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    nodes_.erase(node.get());
    if (const auto* const child = std::get_if<ChildOperation>(&node->operation)) destroy(child->graph.get());
  }
}

Graph* Graphs::find(const void* handle) const {
  const auto found = graphs_.find(handle);
  return found == graphs_.end() ? nullptr : found->second.get();
}

Node* Graphs::find_node(const void* handle) const {
  return nodes_.count(handle) == 0 ? nullptr : static_cast<Node*>(const_cast<void*>(handle));
}

std::shared_ptr<Graph> Graphs::copy_of(const Graph& graph, std::map<const Node*, Node*>* copies) {
  auto copy = std::make_shared<Graph>();
  std::map<const Node*, Node*> own;
  for (const auto& node : graph.nodes) {
    auto made = std::make_unique<Node>();
    made->operation = node->operation;
    if (auto* const child = std::get_if<ChildOperation>(&made->operation))
      child->graph = copy_of(*child->graph, copies);
    made->graph = copy.get();
    own[node.get()] = made.get();
    copy->nodes.push_back(std::move(made));
  }
  for (const auto& node : graph.nodes)
    for (const Node* dependency : node->dependencies)
      own[node.get()]->dependencies.push_back(own[dependency]);
  if (copies != nullptr) copies->insert(own.begin(), own.end());
  return copy;
}

bool Graphs::destroy(const void* handle) {
  const auto found = graphs_.find(handle);
  if (found == graphs_.end()) return false;
  const std::shared_ptr<Graph> graph = found->second;
  leave(*graph);
  clones.erase(graph.get());
  graphs_.erase(handle);
  return true;
}

Node* Graphs::add(Graph& graph, Operation operation, std::vector<Node*> dependencies) {
  auto node = std::make_unique<Node>();
  node->operation = std::move(operation);
  node->dependencies = std::move(dependencies);
  node->graph = &graph;
  nodes_.insert(node.get());
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

void Graphs::erase(Node* node) {
  auto& nodes = node->graph->nodes;
  for (const auto& other : nodes) {
    auto& dependencies = other->dependencies;
    dependencies.erase(std::remove(dependencies.begin(), dependencies.end(), node), dependencies.end());
  }
  nodes_.erase(node);
  if (const auto* const child = std::get_if<ChildOperation>(&node->operation)) destroy(child->graph.get());
  nodes.erase(std::find_if(nodes.begin(), nodes.end(), [&](const auto& own) { return own.get() == node; }));
}

ExecutableGraph* Graphs::add(std::unique_ptr<ExecutableGraph> executable) {
  ExecutableGraph* const handle = executable.get();
  executables_[handle] = std::move(executable);
  return handle;
}

ExecutableGraph* Graphs::find_executable(const void* handle) const {
  const auto found = executables_.find(handle);
  return found == executables_.end() ? nullptr : found->second.get();
}

bool Graphs::destroy_executable(Session& session, const void* handle) {
  const auto found = executables_.find(handle);
  if (found == executables_.end()) return false;
  for (const std::uint32_t stream : found->second->streams()) session.note(Kind::kDestroyStream, stream);
  executables_.erase(found);
  return true;
}

std::set<std::uint32_t> Graphs::streams() const {
  std::set<std::uint32_t> streams;
  for (const auto& [handle, executable] : executables_)
    streams.insert(executable->streams().begin(), executable->streams().end());
  return streams;
}

void Graphs::clear() {
  graphs_.clear();
  nodes_.clear();
  executables_.clear();
  clones.clear();
}

}  // namespace heddle::capture
