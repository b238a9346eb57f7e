#pragma once
// An operation is what a call asks of a stream. A call performs it at once, or a graph keeps it in a node.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "stimuli/capture/cudart/types.h"

namespace heddle::capture {

class Runtime;
struct Graph;

// An End is the start of the bytes of one side of a copy, on the device or on the host.
struct End {
  const void* pointer = nullptr;
  std::uint64_t pitch = 0;  // bytes from row to row
  std::uint64_t slice = 0;  // bytes from slice to slice
};

struct Shape {
  std::uint64_t bytes = 0;  // bytes of a row
  std::uint64_t rows = 1;   // rows of a slice
  std::uint64_t slices = 1;

  bool empty() const { return bytes == 0 || rows == 0 || slices == 0; }
};

struct EmptyOperation {};

struct CopyOperation {
  End to;
  End from;
  Shape shape;
  int kind = kDefault;
  bool asynchronous = false;
};

struct FillOperation {
  End to;
  Shape shape;
  std::uint32_t value = 0;
  std::uint32_t element = 1;  // bytes of the value: 1, 2 or 4
  bool asynchronous = false;
};

struct LaunchOperation {
  const void* function = nullptr;  // the program's handle
  std::uint32_t module = 0;
  std::uint32_t entry = 0;  // index of ptx::Module::functions
  Dim3 grid;
  Dim3 block;
  std::optional<Dim3> cluster;  // see ptx::Launch, as the next one
  bool is_any_cluster_size = false;
  std::size_t shared = 0;
  int carve_out = kDefaultCarveOut;  // that the program prefers
  bool cooperative = false;
  std::optional<int> priority;  // of an attribute, or in a graph of the captured stream; else the stream's
  std::vector<std::byte> parameters;
};

struct HostOperation {
  void (*act)(void*) = nullptr;
  void* data = nullptr;
};

// An external operation on an event is a node of a graph; another one is an edge where it is captured.
struct RecordOperation {
  void* event = nullptr;
  bool external = false;
};

struct WaitOperation {
  void* event = nullptr;
  bool external = false;
};

struct ChildOperation {
  std::shared_ptr<Graph> graph;
};

using Operation = std::variant<EmptyOperation, CopyOperation, FillOperation, LaunchOperation, HostOperation,
                               RecordOperation, WaitOperation, ChildOperation>;

// Returns the parameters in the layout of the kernel, which gives their sizes and offsets.
std::vector<std::byte> gather_parameters(const ptx::Function& entry, void** arguments);

// Returns an error if the operation is invalid. A launch must fit on the device.
int check(Runtime& runtime, const Operation& operation);

// The stream on which an operation is performed.
struct Target {
  std::uint32_t stream = 0;         // its number
  int priority = 0;                 // of a launch
  bool overrides_launches = false;  // also of a launch with a priority of its own
};

// A priority beyond the range counts as the nearest one.
int clamped_priority(int priority);

// Performs a valid operation, which is no ChildOperation.
void perform(Runtime& runtime, const Operation& operation, const Target& target);

// Performs an operation on a stream of the program, or adds it to the graph that the stream is captured to.
int submit(Runtime& runtime, const void* stream, const Operation& operation);
int submit(const char* name, const void* stream, const Operation& operation);  // with guarded()

}  // namespace heddle::capture
