#pragma once
// Functions of graphs whose parameters differ between versions of the runtime.

#include "stimuli/capture/cudart/graph.h"

namespace heddle::capture {

// Adds or removes dependencies of nodes `to` on nodes `from`.
int depend(const void* graph, const void* const* from, const void* const* to, std::size_t count, bool add);

// These functions write to lists with room for `count`, and write the count.
int tell_edges(const void* graph, Node** from, Node** to, std::size_t* count);
int tell_dependencies(const void* node, Node** list, std::size_t* count);
int tell_dependents(const void* node, Node** list, std::size_t* count);

// Gives an executable graph the operations of a graph. Returns false if the graph has other nodes.
bool update(const void* executable, const void* graph, int& error);

}  // namespace heddle::capture
