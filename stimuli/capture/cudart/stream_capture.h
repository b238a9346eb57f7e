#pragma once
// The capture of streams to a graph: operations on a captured stream become nodes.

#include <cstdint>
#include <memory>

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

struct StreamCapture {
  enum Mode : int { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

  std::shared_ptr<Graph> graph;
  const Stream* origin = nullptr;  // where the capture began
  int mode = kGlobal;
  bool valid = true;
  std::uint64_t number = 0;  // of the capture, from 1 on
  std::thread::id thread;
};

inline bool is_captured(const Stream& stream) {
  return stream.capture != nullptr;
}

// Returns whether a stream that is not captured would be so behind this operation.
bool joins_capture(Runtime& runtime, const Operation& operation);

// Adds an operation to the graph of a stream that is captured, or that joins a capture by it; or returns an
// error.
int capture_operation(Runtime& runtime, Stream& stream, const Operation& operation);

// Returns an error if an operation on a stream that is not captured disturbs a capture: one on the default
// stream of all threads, which the captured streams would wait for.
int check_uncaptured(Runtime& runtime, const Stream& stream);

// Returns an error if this call of the host would disturb a capture, which then is no longer valid.
// `stream`, if it is not null, is the stream that the call waits for; else the call waits for all streams.
int check_host_wait(Runtime& runtime, const Stream* stream);

// As above for a call that may wait for the device, such as cudaMalloc, and that relaxed captures allow.
int check_unsafe_call(Runtime& runtime);

// Where cudaStreamGetCaptureInfo writes; null: the caller does not ask for it.
struct CaptureInformation {
  int* status = nullptr;
  std::uint64_t* number = nullptr;
  void** graph = nullptr;
  Node* const** dependencies = nullptr;
  const void** edges = nullptr;
  std::size_t* count = nullptr;
};
int capture_information(const void* stream, const CaptureInformation& to);

}  // namespace heddle::capture
