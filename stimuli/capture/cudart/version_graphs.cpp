// This file has the functions of graphs that differ between versions. It is compiled once for each version,
// as version.cpp. Version 13 gave the data of edges to functions that had names with _v2 before.

#include "stimuli/capture/cudart/calls.h"
#include "stimuli/capture/cudart/graphs.h"
#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

using namespace heddle::capture;  // the functions below have C linkage

#if HEDDLE_CUDART < 13
#define HEDDLE_DATA  // there are no data of edges
#else
#define HEDDLE_DATA const void* /*data*/,
#endif

extern "C" {

int cudaGraphAddDependencies(const void* graph, const void* const* from, const void* const* to,
                             HEDDLE_DATA std::size_t count) {
  return depend(graph, from, to, count, true);
}

int cudaGraphRemoveDependencies(const void* graph, const void* const* from, const void* const* to,
                                HEDDLE_DATA std::size_t count) {
  return depend(graph, from, to, count, false);
}

int cudaGraphGetEdges(const void* graph, Node** from, Node** to, HEDDLE_DATA std::size_t* count) {
  return tell_edges(graph, from, to, count);
}

int cudaGraphNodeGetDependencies(const void* node, Node** list, HEDDLE_DATA std::size_t* count) {
  return tell_dependencies(node, list, count);
}

int cudaGraphNodeGetDependentNodes(const void* node, Node** list, HEDDLE_DATA std::size_t* count) {
  return tell_dependents(node, list, count);
}

#if HEDDLE_CUDART < 13
int cudaStreamGetCaptureInfo(const void* stream, int* status, std::uint64_t* number) {
  return capture_information(stream, {status, number});
}

int cudaStreamGetCaptureInfo_ptsz(const void* stream, int* status, std::uint64_t* number) {
  return capture_information(or_thread_stream(stream), {status, number});
}
#else
int cudaStreamGetCaptureInfo(const void* stream, int* status, std::uint64_t* number, void** graph,
                             Node* const** dependencies, const void** edges, std::size_t* count) {
  return capture_information(stream, {status, number, graph, dependencies, edges, count});
}

int cudaStreamGetCaptureInfo_ptsz(const void* stream, int* status, std::uint64_t* number, void** graph,
                                  Node* const** dependencies, const void** edges, std::size_t* count) {
  return capture_information(or_thread_stream(stream), {status, number, graph, dependencies, edges, count});
}
#endif

#if HEDDLE_CUDART < 12
// The further parameters tell where to report errors.
int cudaGraphInstantiate(void** executable, const void* graph) {
  return cudaGraphInstantiateWithFlags(executable, graph, 0);
}

int cudaGraphExecUpdate(const void* executable, const void* graph, void** node, int* result) {
  constexpr int kTopologyChanged = 2;
  int error = kSuccess;
  const bool same = update(executable, graph, error);
  if (node != nullptr) *node = nullptr;
  if (result != nullptr) *result = same ? error : kTopologyChanged;
  return error;
}
#else
int cudaGraphInstantiate(void** executable, const void* graph, std::uint64_t flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

struct UpdateResult {
  int result;
  void* node;
  void* node_before;
};

int cudaGraphExecUpdate(const void* executable, const void* graph, UpdateResult* result) {
  constexpr int kTopologyChanged = 2;
  int error = kSuccess;
  const bool same = update(executable, graph, error);
  if (result != nullptr) *result = {same ? error : kTopologyChanged, nullptr, nullptr};
  return error;
}
#endif
}
