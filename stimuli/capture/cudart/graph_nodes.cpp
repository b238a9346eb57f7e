// This file implements the nodes of graphs: how they are added, asked and changed.

#include <algorithm>
#include <cstring>

#include "stimuli/capture/cudart/memory_3d.h"
#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

struct KernelParameters {
  void* function;
  Dim3 grid;
  Dim3 block;
  unsigned shared;
  void** arguments;
  void** extra;  // another way to pass arguments, of the driver interface
};

struct FillParameters {
  void* to;
  std::size_t pitch;
  unsigned value;
  unsigned element;   // bytes
  std::size_t width;  // in elements
  std::size_t rows;
};

struct HostParameters {
  void (*act)(void*);
  void* data;
};

// Each function reads the parameters of a node. They return an error if the parameters are invalid.

int read_node(Runtime& runtime, const KernelParameters& parameters, Operation& operation) {
  auto launch = runtime.launch_of(parameters.function);
  if (!launch) return kInvalidDeviceFunction;
  if (parameters.extra != nullptr)
    stop("a kernel node with extra parameters is not supported; use kernelParams");
  launch->grid = parameters.grid;
  launch->block = parameters.block;
  launch->shared = parameters.shared;
  launch->parameters = gather_parameters(runtime.entry(*launch), parameters.arguments);
  operation = std::move(*launch);
  return check(runtime, operation);
}

int read_node(Runtime& runtime, const Copy3D& parameters, Operation& operation) {
  CopyOperation copy;
  if (const int error = read_copy(runtime, parameters, copy); error != kSuccess) return error;
  copy.asynchronous = true;
  operation = copy;
  return check(runtime, operation);
}

int read_node(Runtime& runtime, const FillParameters& parameters, Operation& operation) {
  FillOperation fill;
  fill.shape = {parameters.width * parameters.element, parameters.rows};
  fill.to = {parameters.to, parameters.rows > 1 ? parameters.pitch : fill.shape.bytes};
  fill.value = parameters.value;
  fill.element = parameters.element;
  fill.asynchronous = true;
  operation = fill;
  return check(runtime, operation);
}

int read_node(Runtime& runtime, const HostParameters& parameters, Operation& operation) {
  operation = HostOperation{parameters.act, parameters.data};
  return check(runtime, operation);
}

// Bytes that follow each other.
struct LinearCopy {
  void* to;
  const void* from;
  std::size_t bytes;
  int kind;
};

int read_node(Runtime& runtime, const LinearCopy& parameters, Operation& operation) {
  operation = CopyOperation{{parameters.to, parameters.bytes},
                            {parameters.from, parameters.bytes},
                            {parameters.bytes},
                            parameters.kind,
                            true};
  return check(runtime, operation);
}

struct SymbolCopy {
  const void* symbol;
  const void* pointer;
  std::size_t bytes;
  std::size_t offset;
  int kind;
  bool to_symbol;
};

int read_node(Runtime& runtime, const SymbolCopy& copy, Operation& operation) {
  const auto symbol = runtime.symbol(copy.symbol);
  if (!symbol) return kInvalidSymbol;
  if (copy.offset > symbol->bytes || copy.bytes > symbol->bytes - copy.offset) return kInvalidValue;
  const End end{reinterpret_cast<const void*>(symbol->address + copy.offset), copy.bytes};
  const End other{copy.pointer, copy.bytes};
  operation = CopyOperation{
      copy.to_symbol ? end : other, copy.to_symbol ? other : end, {copy.bytes}, copy.kind, true};
  return check(runtime, operation);
}

struct EventParameters {
  void* event;
  bool waits;
};

int read_node(Runtime& runtime, const EventParameters& parameters, Operation& operation) {
  if (parameters.waits)
    operation = WaitOperation{parameters.event};
  else
    operation = RecordOperation{parameters.event};
  return check(runtime, operation);
}

int add_node(Runtime& runtime, void** node, const void* graph_handle, void* const* dependencies,
             std::size_t count, Operation operation) {
  Graph* const graph = runtime.graphs.find(graph_handle);
  if (graph == nullptr || node == nullptr || (dependencies == nullptr && count != 0)) return kInvalidValue;
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    Node* const dependency = runtime.graphs.find_node(dependencies[i]);
    if (dependency == nullptr || dependency->graph != graph) return kInvalidValue;
    if (std::find(nodes.begin(), nodes.end(), dependency) != nodes.end()) return kInvalidValue;
    nodes.push_back(dependency);
  }
  *node = runtime.graphs.add(*graph, std::move(operation), std::move(nodes));
  return kSuccess;
}

template <typename Parameters>
int add_read(const char* name, void** node, const void* graph, void* const* dependencies, std::size_t count,
             const Parameters* parameters) {
  return guarded(name, [&](Runtime& runtime) -> int {
    Operation operation;
    if (parameters == nullptr) return kInvalidValue;
    if (const int error = read_node(runtime, *parameters, operation); error != kSuccess) return error;
    return add_node(runtime, node, graph, dependencies, count, std::move(operation));
  });
}

int add_symbol_copy(const char* name, void** node, const void* graph, void* const* dependencies,
                    std::size_t count, const SymbolCopy& copy) {
  return add_read(name, node, graph, dependencies, count, &copy);
}

// Changes an operation to one of the same kind.
template <typename Parameters>
int change_operation(Runtime& runtime, Operation* operation, const Parameters* parameters) {
  Operation made;
  if (operation == nullptr || parameters == nullptr) return kInvalidValue;
  if (const int error = read_node(runtime, *parameters, made); error != kSuccess) return error;
  if (made.index() != operation->index()) return kInvalidValue;
  *operation = std::move(made);
  return kSuccess;
}

template <typename Parameters>
int set_node(const char* name, const void* handle, const Parameters* parameters) {
  return guarded(name, [&](Runtime& runtime) -> int {
    Node* const node = runtime.graphs.find_node(handle);
    return node == nullptr ? kInvalidValue : change_operation(runtime, &node->operation, parameters);
  });
}

// Changes the operation of an executable graph that a node of its graph has become.
template <typename Parameters>
int set_executable(const char* name, const void* handle, const void* node, const Parameters* parameters) {
  return guarded(name, [&](Runtime& runtime) -> int {
    ExecutableGraph* const executable = runtime.graphs.find_executable(handle);
    if (executable == nullptr) return kInvalidValue;
    return change_operation(runtime, executable->operation_of(static_cast<const Node*>(node)), parameters);
  });
}

// Calls act(node, operation) for a node whose operation is of this kind.
template <typename Kind, typename Act>
int with_operation(const char* name, const void* handle, const Act& act) {
  return guarded(name, [&](Runtime& runtime) -> int {
    Node* const node = runtime.graphs.find_node(handle);
    Kind* const operation = node == nullptr ? nullptr : std::get_if<Kind>(&node->operation);
    return operation == nullptr ? kInvalidValue : act(runtime, *node, *operation);
  });
}

int tell_event(const char* name, const void* handle, void** event) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const Node* const node = runtime.graphs.find_node(handle);
    if (node == nullptr) return kInvalidValue;
    if (const auto* const record = std::get_if<RecordOperation>(&node->operation))
      *event = record->event;
    else if (const auto* const wait = std::get_if<WaitOperation>(&node->operation))
      *event = wait->event;
    else
      return kInvalidValue;
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaGraphAddKernelNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                           const KernelParameters* parameters) {
  return add_read("cudaGraphAddKernelNode", node, graph, dependencies, count, parameters);
}

int cudaGraphAddMemcpyNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                           const Copy3D* parameters) {
  return add_read("cudaGraphAddMemcpyNode", node, graph, dependencies, count, parameters);
}

int cudaGraphAddMemcpyNode1D(void** node, const void* graph, void* const* dependencies, std::size_t count,
                             void* to, const void* from, std::size_t bytes, int kind) {
  const LinearCopy copy{to, from, bytes, kind};
  return add_read("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count, &copy);
}

int cudaGraphAddMemcpyNodeToSymbol(void** node, const void* graph, void* const* dependencies,
                                   std::size_t count, const void* symbol, const void* from, std::size_t bytes,
                                   std::size_t offset, int kind) {
  return add_symbol_copy("cudaGraphAddMemcpyNodeToSymbol", node, graph, dependencies, count,
                         {symbol, from, bytes, offset, kind, true});
}

int cudaGraphAddMemcpyNodeFromSymbol(void** node, const void* graph, void* const* dependencies,
                                     std::size_t count, void* to, const void* symbol, std::size_t bytes,
                                     std::size_t offset, int kind) {
  return add_symbol_copy("cudaGraphAddMemcpyNodeFromSymbol", node, graph, dependencies, count,
                         {symbol, to, bytes, offset, kind, false});
}

int cudaGraphAddMemsetNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                           const FillParameters* parameters) {
  return add_read("cudaGraphAddMemsetNode", node, graph, dependencies, count, parameters);
}

int cudaGraphAddHostNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                         const HostParameters* parameters) {
  return add_read("cudaGraphAddHostNode", node, graph, dependencies, count, parameters);
}

int cudaGraphAddEventRecordNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                                void* event) {
  const EventParameters parameters{event, false};
  return add_read("cudaGraphAddEventRecordNode", node, graph, dependencies, count, &parameters);
}

int cudaGraphAddEventWaitNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                              void* event) {
  const EventParameters parameters{event, true};
  return add_read("cudaGraphAddEventWaitNode", node, graph, dependencies, count, &parameters);
}

int cudaGraphAddEmptyNode(void** node, const void* graph, void* const* dependencies, std::size_t count) {
  return guarded("cudaGraphAddEmptyNode", [&](Runtime& runtime) {
    return add_node(runtime, node, graph, dependencies, count, EmptyOperation{});
  });
}

// The node has a copy of the graph.
int cudaGraphAddChildGraphNode(void** node, const void* graph, void* const* dependencies, std::size_t count,
                               const void* child_handle) {
  return guarded("cudaGraphAddChildGraphNode", [&](Runtime& runtime) -> int {
    const Graph* const child = runtime.graphs.find(child_handle);
    if (child == nullptr) return kInvalidValue;
    const ChildOperation operation{Graphs::copy_of(*child)};
    const int error = add_node(runtime, node, graph, dependencies, count, operation);
    if (error == kSuccess) runtime.graphs.adopt(operation.graph);
    return error;
  });
}

int cudaGraphChildGraphNodeGetGraph(const void* node, void** graph) {
  return with_operation<ChildOperation>("cudaGraphChildGraphNodeGetGraph", node,
                                        [&](Runtime&, Node&, const ChildOperation& child) -> int {
                                          *graph = child.graph.get();
                                          return kSuccess;
                                        });
}

int cudaGraphKernelNodeSetParams(const void* node, const KernelParameters* parameters) {
  return set_node("cudaGraphKernelNodeSetParams", node, parameters);
}

int cudaGraphKernelNodeGetParams(const void* handle, KernelParameters* parameters) {
  return with_operation<LaunchOperation>(
      "cudaGraphKernelNodeGetParams", handle,
      [&](Runtime& runtime, Node& node, LaunchOperation& launch) -> int {
        node.arguments.clear();
        for (const auto& parameter : runtime.entry(launch).parameters)
          node.arguments.push_back(launch.parameters.data() + parameter.offset);
        *parameters = {const_cast<void*>(launch.function),   launch.grid,           launch.block,
                       static_cast<unsigned>(launch.shared), node.arguments.data(), nullptr};
        return kSuccess;
      });
}

int cudaGraphMemcpyNodeSetParams(const void* node, const Copy3D* parameters) {
  return set_node("cudaGraphMemcpyNodeSetParams", node, parameters);
}

int cudaGraphMemcpyNodeSetParams1D(const void* node, void* to, const void* from, std::size_t bytes,
                                   int kind) {
  const LinearCopy copy{to, from, bytes, kind};
  return set_node("cudaGraphMemcpyNodeSetParams1D", node, &copy);
}

int cudaGraphMemsetNodeSetParams(const void* node, const FillParameters* parameters) {
  return set_node("cudaGraphMemsetNodeSetParams", node, parameters);
}

int cudaGraphMemsetNodeGetParams(const void* handle, FillParameters* parameters) {
  return with_operation<FillOperation>(
      "cudaGraphMemsetNodeGetParams", handle, [&](Runtime&, Node&, const FillOperation& fill) -> int {
        *parameters = {const_cast<void*>(fill.to.pointer), fill.to.pitch,  fill.value, fill.element,
                       fill.shape.bytes / fill.element,    fill.shape.rows};
        return kSuccess;
      });
}

int cudaGraphHostNodeSetParams(const void* node, const HostParameters* parameters) {
  return set_node("cudaGraphHostNodeSetParams", node, parameters);
}

int cudaGraphHostNodeGetParams(const void* handle, HostParameters* parameters) {
  return with_operation<HostOperation>("cudaGraphHostNodeGetParams", handle,
                                       [&](Runtime&, Node&, const HostOperation& host) -> int {
                                         *parameters = {host.act, host.data};
                                         return kSuccess;
                                       });
}

int cudaGraphEventRecordNodeGetEvent(const void* node, void** event) {
  return tell_event("cudaGraphEventRecordNodeGetEvent", node, event);
}

int cudaGraphEventWaitNodeGetEvent(const void* node, void** event) {
  return tell_event("cudaGraphEventWaitNodeGetEvent", node, event);
}

int cudaGraphExecKernelNodeSetParams(const void* executable, const void* node,
                                     const KernelParameters* parameters) {
  return set_executable("cudaGraphExecKernelNodeSetParams", executable, node, parameters);
}

int cudaGraphExecMemcpyNodeSetParams(const void* executable, const void* node, const Copy3D* parameters) {
  return set_executable("cudaGraphExecMemcpyNodeSetParams", executable, node, parameters);
}

int cudaGraphExecMemcpyNodeSetParams1D(const void* executable, const void* node, void* to, const void* from,
                                       std::size_t bytes, int kind) {
  const LinearCopy copy{to, from, bytes, kind};
  return set_executable("cudaGraphExecMemcpyNodeSetParams1D", executable, node, &copy);
}

int cudaGraphExecMemsetNodeSetParams(const void* executable, const void* node,
                                     const FillParameters* parameters) {
  return set_executable("cudaGraphExecMemsetNodeSetParams", executable, node, parameters);
}

int cudaGraphExecHostNodeSetParams(const void* executable, const void* node,
                                   const HostParameters* parameters) {
  return set_executable("cudaGraphExecHostNodeSetParams", executable, node, parameters);
}
}
