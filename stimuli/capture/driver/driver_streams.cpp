// This file implements the driver's streams, events and graphs.

#include "stimuli/capture/cudart/calls.h"
#include "stimuli/capture/driver/driver.h"

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cuStreamCreate(void** stream, unsigned flags) {
  return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}

int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

int cuStreamDestroy_v2(void* stream) {
  return in_context([&] { return cudaStreamDestroy(stream); });
}

int cuStreamSynchronize(const void* stream) {
  return in_context([&] { return cudaStreamSynchronize(stream); });
}

int cuStreamQuery(const void* stream) {
  return in_context([&] { return cudaStreamQuery(stream); });
}

int cuStreamWaitEvent(const void* stream, void* event, unsigned flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

int cuStreamGetFlags(const void* stream, unsigned* flags) {
  return in_context([&] { return cudaStreamGetFlags(stream, flags); });
}

int cuStreamGetId(const void* stream, std::uint64_t* number) {
  return in_context([&] { return cudaStreamGetId(stream, number); });
}

int cuStreamGetPriority(const void* stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(stream, priority); });
}

int cuStreamAddCallback(void* stream, void (*act)(void*, int, void*), void* data, unsigned flags) {
  return in_context([&] { return cudaStreamAddCallback(stream, act, data, flags); });
}

int cuLaunchHostFunc(const void* stream, void (*act)(void*), void* data) {
  return in_context([&] { return cudaLaunchHostFunc(stream, act, data); });
}

int cuStreamBeginCapture_v2(const void* stream, int mode) {
  return in_context([&] { return cudaStreamBeginCapture(stream, mode); });
}

int cuStreamEndCapture(const void* stream, void** graph) {
  return in_context([&] { return cudaStreamEndCapture(stream, graph); });
}

int cuStreamIsCapturing(const void* stream, int* status) {
  return in_context([&] { return cudaStreamIsCapturing(stream, status); });
}

int cuGraphInstantiateWithFlags(void** executable, const void* graph, std::uint64_t flags) {
  return in_context([&] { return cudaGraphInstantiateWithFlags(executable, graph, flags); });
}

int cuGraphLaunch(const void* executable, const void* stream) {
  return in_context([&] { return cudaGraphLaunch(executable, stream); });
}

int cuGraphExecDestroy(const void* executable) {
  return in_context([&] { return cudaGraphExecDestroy(executable); });
}

int cuGraphDestroy(const void* graph) {
  return in_context([&] { return cudaGraphDestroy(graph); });
}

int cuEventCreate(void** event, unsigned flags) {
  return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}

int cuEventDestroy_v2(void* event) {
  return in_context([&] { return cudaEventDestroy(event); });
}

int cuEventRecord(void* event, const void* stream) {
  return in_context([&] { return cudaEventRecord(event, stream); });
}

int cuEventRecordWithFlags(void* event, const void* stream, unsigned flags) {
  return in_context([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}

int cuEventSynchronize(const void* event) {
  return in_context([&] { return cudaEventSynchronize(event); });
}

int cuEventQuery(const void* event) {
  return in_context([&] { return cudaEventQuery(event); });
}

int cuEventElapsedTime(float* milliseconds, const void* start, const void* end) {
  return in_context([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

int cuEventElapsedTime_v2(float* milliseconds, const void* start, const void* end) {
  return cuEventElapsedTime(milliseconds, start, end);
}
}
