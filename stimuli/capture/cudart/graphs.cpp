// This file implements graphs as a whole: their nodes' order, copies of them, instances and launches.

#include "stimuli/capture/cudart/graphs.h"

#include <algorithm>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

namespace heddle::capture {

namespace {

struct Instantiation {
  std::uint64_t flags;
  void* stream;
  void* error_node;
  int result;  // 0: success, 1: an error
};

// Calls act(runtime, graph) if there is such a graph.
template <typename Act>
int with_graph(const char* name, const void* handle, const Act& act) {
  return guarded(name, [&](Runtime& runtime) -> int {
    Graph* const graph = runtime.graphs.find(handle);
    return graph == nullptr ? kInvalidValue : act(runtime, *graph);
  });
}

// Calls act(node) if there is such a node.
template <typename Act>
int with_node(const char* name, const void* handle, const Act& act) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const Node* const node = runtime.graphs.find_node(handle);
    return node == nullptr ? kInvalidValue : act(*node);
  });
}

// Writes as many as there is room for, and empties the rest. Without a list, only the count is told.
int tell(const std::vector<Node*>& nodes, Node** list, std::size_t* count) {
  if (count == nullptr) return kInvalidValue;
  if (list != nullptr)
    for (std::size_t i = 0; i < *count; ++i) list[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = list == nullptr ? nodes.size() : std::min(*count, nodes.size());
  return kSuccess;
}

int instantiate(const char* name, void** handle, const void* graph_handle, std::uint64_t flags = 0) {
  return with_graph(name, graph_handle, [&](Runtime& runtime, const Graph& graph) -> int {
    if (handle == nullptr) return kInvalidValue;
    *handle = runtime.graphs.add(std::make_unique<ExecutableGraph>(graph, flags));
    return kSuccess;
  });
}

// A graph that is launched on a captured stream becomes a child of the stream's graph.
int launch_graph(Runtime& runtime, const void* handle, const void* stream_handle) {
  ExecutableGraph* const executable = runtime.graphs.find_executable(handle);
  Stream* const stream = runtime.stream(stream_handle);
  if (executable == nullptr) return kInvalidValue;
  if (stream == nullptr) return kInvalidResourceHandle;
  if (is_captured(*stream)) {
    const ChildOperation child{executable->graph()};
    const int error = capture_operation(runtime, *stream, child);
    if (error == kSuccess) runtime.graphs.adopt(child.graph);
    return error;
  }
  if (const int error = check_uncaptured(runtime, *stream); error != kSuccess) return error;
  executable->launch(runtime, stream->number, stream->priority);
  return kSuccess;
}

}  // namespace

int depend(const void* graph_handle, const void* const* from, const void* const* to, std::size_t count,
           bool add) {
  return with_graph("cudaGraphAddDependencies", graph_handle,
                    [&](Runtime& runtime, const Graph& graph) -> int {
                      for (std::size_t i = 0; i < count; ++i) {
                        Node* const earlier = runtime.graphs.find_node(from[i]);
                        Node* const later = runtime.graphs.find_node(to[i]);
                        if (earlier == nullptr || later == nullptr || earlier == later) return kInvalidValue;
                        if (earlier->graph != &graph || later->graph != &graph) return kInvalidValue;
                        std::vector<Node*>& dependencies = later->dependencies;
                        const auto found = std::find(dependencies.begin(), dependencies.end(), earlier);
                        if ((found == dependencies.end()) != add) return kInvalidValue;
                        if (add)
                          dependencies.push_back(earlier);
                        else
                          dependencies.erase(found);
                      }
                      return kSuccess;
                    });
}

int tell_edges(const void* handle, Node** from, Node** to, std::size_t* count) {
  return with_graph("cudaGraphGetEdges", handle, [&](Runtime&, const Graph& graph) -> int {
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return kInvalidValue;
    std::vector<Node*> earlier;
    std::vector<Node*> later;
    for (const auto& node : graph.nodes)
      for (Node* const dependency : node->dependencies) {
        earlier.push_back(dependency);
        later.push_back(node.get());
      }
    std::size_t room = *count;
    tell(earlier, from, &room);
    return tell(later, to, count);
  });
}

int tell_dependencies(const void* handle, Node** list, std::size_t* count) {
  return with_node("cudaGraphNodeGetDependencies", handle,
                   [&](const Node& node) { return tell(node.dependencies, list, count); });
}

int tell_dependents(const void* handle, Node** list, std::size_t* count) {
  return with_node("cudaGraphNodeGetDependentNodes", handle, [&](const Node& node) {
    std::vector<Node*> dependents;
    for (const auto& other : node.graph->nodes)
      if (std::find(other->dependencies.begin(), other->dependencies.end(), &node) !=
          other->dependencies.end())
        dependents.push_back(other.get());
    return tell(dependents, list, count);
  });
}

bool update(const void* executable_handle, const void* graph_handle, int& error) {
  bool same = true;
  error = with_graph("cudaGraphExecUpdate", graph_handle, [&](Runtime& runtime, const Graph& graph) -> int {
    ExecutableGraph* const executable = runtime.graphs.find_executable(executable_handle);
    if (executable == nullptr) return kInvalidValue;
    same = executable->update(ExecutableGraph(graph));
    return same ? kSuccess : kGraphUpdateFailure;
  });
  return same;
}

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaGraphCreate(void** graph, unsigned flags) {
  return guarded("cudaGraphCreate", [&](Runtime& runtime) -> int {
    if (graph == nullptr || flags != 0) return kInvalidValue;
    *graph = runtime.graphs.create();
    return kSuccess;
  });
}

int cudaGraphDestroy(const void* graph) {
  return guarded("cudaGraphDestroy", [&](Runtime& runtime) -> int {
    return runtime.graphs.destroy(graph) ? kSuccess : kInvalidValue;
  });
}

int cudaGraphClone(void** copy, const void* handle) {
  return with_graph("cudaGraphClone", handle, [&](Runtime& runtime, const Graph& graph) -> int {
    if (copy == nullptr) return kInvalidValue;
    std::map<const Node*, Node*> copies;
    Graph* const made = runtime.graphs.adopt(Graphs::copy_of(graph, &copies));
    runtime.graphs.clones[made] = std::move(copies);
    *copy = made;
    return kSuccess;
  });
}

int cudaGraphNodeFindInClone(void** node, const void* original, const void* clone) {
  return with_graph("cudaGraphNodeFindInClone", clone, [&](Runtime& runtime, const Graph& graph) -> int {
    const auto copies = runtime.graphs.clones.find(&graph);
    if (copies == runtime.graphs.clones.end()) return kInvalidValue;
    const auto found = copies->second.find(static_cast<const Node*>(original));
    if (found == copies->second.end() || runtime.graphs.find_node(found->second) == nullptr)
      return kInvalidValue;
    *node = found->second;
    return kSuccess;
  });
}

int cudaGraphGetNodes(const void* handle, Node** list, std::size_t* count) {
  return with_graph("cudaGraphGetNodes", handle, [&](Runtime&, const Graph& graph) {
    std::vector<Node*> nodes;
    for (const auto& node : graph.nodes) nodes.push_back(node.get());
    return tell(nodes, list, count);
  });
}

int cudaGraphGetRootNodes(const void* handle, Node** list, std::size_t* count) {
  return with_graph("cudaGraphGetRootNodes", handle, [&](Runtime&, const Graph& graph) {
    std::vector<Node*> nodes;
    for (const auto& node : graph.nodes)
      if (node->dependencies.empty()) nodes.push_back(node.get());
    return tell(nodes, list, count);
  });
}

int cudaGraphGetEdges_v2(const void* graph, Node** from, Node** to, const void* /*data*/,
                         std::size_t* count) {
  return tell_edges(graph, from, to, count);
}

int cudaGraphNodeGetDependencies_v2(const void* node, Node** list, const void* /*data*/, std::size_t* count) {
  return tell_dependencies(node, list, count);
}

int cudaGraphNodeGetDependentNodes_v2(const void* node, Node** list, const void* /*data*/,
                                      std::size_t* count) {
  return tell_dependents(node, list, count);
}

int cudaGraphAddDependencies_v2(const void* graph, const void* const* from, const void* const* to,
                                const void* data, std::size_t count) {
  if (data != nullptr) stop("cudaGraphAddDependencies: data of edges are not supported");
  return depend(graph, from, to, count, true);
}

int cudaGraphRemoveDependencies_v2(const void* graph, const void* const* from, const void* const* to,
                                   const void* /*data*/, std::size_t count) {
  return depend(graph, from, to, count, false);
}

int cudaGraphDestroyNode(const void* handle) {
  return guarded("cudaGraphDestroyNode", [&](Runtime& runtime) -> int {
    Node* const node = runtime.graphs.find_node(handle);
    if (node == nullptr) return kInvalidValue;
    runtime.graphs.erase(node);
    return kSuccess;
  });
}

int cudaGraphNodeGetType(const void* handle, int* type) {
  // The numbers of the operations, in the order of Operation; numbered as in NVIDIA's driver_types.h.
  constexpr int kTypes[] = {5, 1, 2, 0, 3, 7, 6, 4};
  static_assert(std::size(kTypes) == std::variant_size_v<Operation>);
  return with_node("cudaGraphNodeGetType", handle, [&](const Node& node) -> int {
    *type = kTypes[node.operation.index()];
    return kSuccess;
  });
}

int cudaGraphInstantiateWithFlags(void** executable, const void* graph, std::uint64_t flags) {
  return instantiate("cudaGraphInstantiateWithFlags", executable, graph, flags);
}

int cudaGraphInstantiateWithParams(void** executable, const void* graph, Instantiation* parameters) {
  if (parameters == nullptr) return remember(kInvalidValue);
  const int error = instantiate("cudaGraphInstantiateWithParams", executable, graph, parameters->flags);
  parameters->error_node = nullptr;
  parameters->result = error == kSuccess ? 0 : 1;
  return error;
}

int cudaGraphInstantiateWithParams_ptsz(void** executable, const void* graph, Instantiation* parameters) {
  return cudaGraphInstantiateWithParams(executable, graph, parameters);
}

int cudaGraphExecGetFlags(const void* handle, std::uint64_t* flags) {
  return guarded("cudaGraphExecGetFlags", [&](Runtime& runtime) -> int {
    const ExecutableGraph* const executable = runtime.graphs.find_executable(handle);
    if (executable == nullptr) return kInvalidValue;
    *flags = executable->flags();
    return kSuccess;
  });
}

int cudaGraphExecDestroy(const void* handle) {
  return guarded("cudaGraphExecDestroy", [&](Runtime& runtime) -> int {
    return runtime.graphs.destroy_executable(runtime.session(), handle) ? kSuccess : kInvalidValue;
  });
}

int cudaGraphLaunch(const void* executable, const void* stream) {
  return guarded("cudaGraphLaunch",
                 [&](Runtime& runtime) { return launch_graph(runtime, executable, stream); });
}

int cudaGraphLaunch_ptsz(const void* executable, const void* stream) {
  return cudaGraphLaunch(executable, or_thread_stream(stream));
}

// A graph needs nothing of the device before its first launch.
int cudaGraphUpload(const void* executable, const void* stream) {
  return guarded("cudaGraphUpload", [&](Runtime& runtime) -> int {
    if (runtime.graphs.find_executable(executable) == nullptr) return kInvalidValue;
    return runtime.stream(stream) == nullptr ? kInvalidResourceHandle : kSuccess;
  });
}

int cudaGraphUpload_ptsz(const void* executable, const void* stream) {
  return cudaGraphUpload(executable, or_thread_stream(stream));
}
}
