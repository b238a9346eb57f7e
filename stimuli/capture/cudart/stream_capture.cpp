// This file implements the capture of streams to graphs.

#include "stimuli/capture/cudart/stream_capture.h"

#include <algorithm>
#include <set>

namespace heddle::capture {

namespace {

thread_local int mode_of_thread = StreamCapture::kGlobal;

void add_to(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
  for (Node* const node : more)
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

// All streams that a program can name and that are captured.
std::vector<Stream*> captured_streams(Runtime& runtime) {
  std::vector<Stream*> captured;
  runtime.for_each_stream([&](Stream& stream) {
    if (is_captured(stream)) captured.push_back(&stream);
  });
  return captured;
}

int invalidate(StreamCapture& capture, int error) {
  capture.valid = false;
  return error;
}

// Returns a capture of a stream that this one would wait for; null: there is none.
StreamCapture* waits_for_captured(Runtime& runtime, const Stream& stream) {
  if (stream.number != 0) return nullptr;
  for (const Stream* const captured : captured_streams(runtime))
    if ((captured->flags & kNonBlocking) == 0) return captured->capture.get();
  return nullptr;
}

// A captured event stands for the operations so far. One that is recorded anew stands for others.
int capture_record(Runtime& runtime, Stream& stream, const RecordOperation& record) {
  Event& event = *runtime.events.at(record.event);
  event.capture = stream.capture;
  event.nodes = stream.tail;
  return kSuccess;
}

// A stream that waits for a captured event is captured from here on.
int capture_wait(Runtime& runtime, Stream& stream, const WaitOperation& wait) {
  const Event& event = *runtime.events.at(wait.event);
  if (stream.capture == nullptr && stream.number == 0)
    return invalidate(*event.capture, kStreamCaptureImplicit);
  if (stream.capture == nullptr) stream.capture = event.capture;
  if (event.capture == nullptr) return invalidate(*stream.capture, kStreamCaptureIsolation);
  if (event.capture != stream.capture) return invalidate(*stream.capture, kStreamCaptureMerge);
  add_to(stream.tail, event.nodes);
  return kSuccess;
}

// Returns whether every operation of the capture is one that the origin's next operation would wait for.
bool is_joined(const StreamCapture& capture) {
  std::set<const Node*> reached;
  std::vector<const Node*> open(capture.origin->tail.begin(), capture.origin->tail.end());
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return reached.size() == capture.graph->nodes.size();
}

}  // namespace

bool joins_capture(Runtime& runtime, const Operation& operation) {
  const auto* const wait = std::get_if<WaitOperation>(&operation);
  return wait != nullptr && !wait->external && runtime.events.at(wait->event)->capture != nullptr;
}

int capture_operation(Runtime& runtime, Stream& stream, const Operation& operation) {
  if (stream.capture != nullptr && !stream.capture->valid) return kStreamCaptureInvalidated;
  if (const auto* const wait = std::get_if<WaitOperation>(&operation); wait != nullptr && !wait->external)
    return capture_wait(runtime, stream, *wait);
  StreamCapture& capture = *stream.capture;
  if (const auto* const record = std::get_if<RecordOperation>(&operation);
      record != nullptr && !record->external)
    return capture_record(runtime, stream, *record);
  if (const auto* const copy = std::get_if<CopyOperation>(&operation); copy != nullptr && !copy->asynchronous)
    return invalidate(capture, kStreamCaptureUnsupported);
  stream.tail = {runtime.graphs.add(*capture.graph, operation, stream.tail)};
  return kSuccess;
}

int check_uncaptured(Runtime& runtime, const Stream& stream) {
  StreamCapture* const capture = waits_for_captured(runtime, stream);
  return capture == nullptr ? kSuccess : invalidate(*capture, kStreamCaptureImplicit);
}

int check_host_wait(Runtime& runtime, const Stream* stream) {
  if (stream != nullptr && !is_captured(*stream)) return check_uncaptured(runtime, *stream);
  int error = kSuccess;
  for (const Stream* const captured : captured_streams(runtime))
    if (stream == nullptr || captured == stream)
      error = invalidate(*captured->capture, kStreamCaptureUnsupported);
  return error;
}

int check_unsafe_call(Runtime& runtime) {
  int error = kSuccess;
  for (const Stream* const captured : captured_streams(runtime)) {
    StreamCapture& capture = *captured->capture;
    const bool own = capture.thread == std::this_thread::get_id();
    const bool in_force =
        capture.mode == StreamCapture::kGlobal || (capture.mode == StreamCapture::kThreadLocal && own);
    if (!in_force || mode_of_thread == StreamCapture::kRelaxed) continue;
    if (own || mode_of_thread == StreamCapture::kGlobal)
      error = invalidate(capture, kStreamCaptureUnsupported);
  }
  return error;
}

namespace {

int begin_capture(Runtime& runtime, const void* handle, int mode) {
  Stream* const stream = runtime.stream(handle);
  if (stream == nullptr) return kInvalidResourceHandle;
  if (mode < StreamCapture::kGlobal || mode > StreamCapture::kRelaxed) return kInvalidValue;
  if (stream->number == 0) return kStreamCaptureUnsupported;
  if (is_captured(*stream)) return kIllegalState;
  auto capture = std::make_shared<StreamCapture>();
  capture->graph = std::make_shared<Graph>();
  capture->origin = stream;
  capture->mode = mode;
  capture->number = ++runtime.captures;
  capture->thread = std::this_thread::get_id();
  stream->capture = std::move(capture);
  return kSuccess;
}

void leave_capture(Runtime& runtime, const std::shared_ptr<StreamCapture>& capture) {
  for (Stream* const stream : captured_streams(runtime)) {
    if (stream->capture != capture) continue;
    stream->capture.reset();
    stream->tail.clear();
  }
  for (const auto& [handle, event] : runtime.events) {
    if (event->capture != capture) continue;
    event->capture.reset();
    event->nodes.clear();
  }
}

int end_capture(Runtime& runtime, const void* handle, void** graph) {
  *graph = nullptr;
  Stream* const stream = runtime.stream(handle);
  if (stream == nullptr) return kInvalidResourceHandle;
  if (!is_captured(*stream)) return kIllegalState;
  const std::shared_ptr<StreamCapture> capture = stream->capture;
  if (capture->origin != stream) return invalidate(*capture, kStreamCaptureUnmatched);
  if (capture->mode != StreamCapture::kRelaxed && capture->thread != std::this_thread::get_id())
    return kStreamCaptureWrongThread;
  const bool joined = is_joined(*capture);
  leave_capture(runtime, capture);
  if (!capture->valid) return kStreamCaptureInvalidated;
  if (!joined) return kStreamCaptureUnjoined;
  *graph = runtime.graphs.adopt(capture->graph);
  return kSuccess;
}

int status_of(const Stream& stream) {
  constexpr int kNone = 0;
  constexpr int kActive = 1;
  constexpr int kInvalidated = 2;
  if (!is_captured(stream)) return kNone;
  return stream.capture->valid ? kActive : kInvalidated;
}

}  // namespace

int capture_information(const void* handle, const CaptureInformation& to) {
  return guarded("cudaStreamGetCaptureInfo", [&](Runtime& runtime) -> int {
    const Stream* const stream = runtime.stream(handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    if (to.status == nullptr) return kInvalidValue;
    if (waits_for_captured(runtime, *stream) != nullptr) return kStreamCaptureImplicit;
    *to.status = status_of(*stream);
    if (!is_captured(*stream) || !stream->capture->valid) return kSuccess;
    if (to.number != nullptr) *to.number = stream->capture->number;
    if (to.graph != nullptr) *to.graph = stream->capture->graph.get();
    if (to.dependencies != nullptr) *to.dependencies = stream->tail.data();
    if (to.edges != nullptr) *to.edges = nullptr;
    if (to.count != nullptr) *to.count = stream->tail.size();
    return kSuccess;
  });
}

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaStreamBeginCapture(const void* stream, int mode) {
  return guarded("cudaStreamBeginCapture",
                 [&](Runtime& runtime) { return begin_capture(runtime, stream, mode); });
}

int cudaStreamBeginCapture_ptsz(const void* stream, int mode) {
  return cudaStreamBeginCapture(or_thread_stream(stream), mode);
}

int cudaStreamEndCapture(const void* stream, void** graph) {
  return guarded("cudaStreamEndCapture",
                 [&](Runtime& runtime) { return end_capture(runtime, stream, graph); });
}

int cudaStreamEndCapture_ptsz(const void* stream, void** graph) {
  return cudaStreamEndCapture(or_thread_stream(stream), graph);
}

int cudaStreamIsCapturing(const void* stream, int* status) {
  return capture_information(stream, {status});
}

int cudaStreamIsCapturing_ptsz(const void* stream, int* status) {
  return capture_information(or_thread_stream(stream), {status});
}

int cudaStreamGetCaptureInfo_v2(const void* stream, int* status, std::uint64_t* number, void** graph,
                                Node* const** dependencies, std::size_t* count) {
  return capture_information(stream, {status, number, graph, dependencies, nullptr, count});
}

int cudaStreamGetCaptureInfo_v2_ptsz(const void* stream, int* status, std::uint64_t* number, void** graph,
                                     Node* const** dependencies, std::size_t* count) {
  return cudaStreamGetCaptureInfo_v2(or_thread_stream(stream), status, number, graph, dependencies, count);
}

int cudaStreamGetCaptureInfo_v3(const void* stream, int* status, std::uint64_t* number, void** graph,
                                Node* const** dependencies, const void** edges, std::size_t* count) {
  return capture_information(stream, {status, number, graph, dependencies, edges, count});
}

int cudaStreamGetCaptureInfo_v3_ptsz(const void* stream, int* status, std::uint64_t* number, void** graph,
                                     Node* const** dependencies, const void** edges, std::size_t* count) {
  return capture_information(or_thread_stream(stream), {status, number, graph, dependencies, edges, count});
}

int cudaThreadExchangeStreamCaptureMode(int* mode) {
  if (*mode < StreamCapture::kGlobal || *mode > StreamCapture::kRelaxed) return remember(kInvalidValue);
  std::swap(*mode, mode_of_thread);
  return kSuccess;
}
}
