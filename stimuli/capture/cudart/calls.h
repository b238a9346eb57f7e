#pragma once
// The functions of the runtime that the driver's functions call, too.

#include <cstddef>
#include <cstdint>

#include "stimuli/capture/cudart/types.h"

extern "C" {

int cudaDeviceGetAttribute(int* value, int attribute, int device);
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
int cudaDeviceSynchronize();
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaMallocAsync(void** pointer, std::size_t bytes, const void* stream);
int cudaMallocHost(void** pointer, std::size_t bytes);
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
int cudaFree(void* pointer);
int cudaFreeAsync(void* pointer, const void* stream);
int cudaFreeHost(void* pointer);
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
int cudaHostGetFlags(unsigned* flags, void* host);
int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaMemGetInfo(std::size_t* free, std::size_t* total);
int cudaStreamCreateWithFlags(void** stream, unsigned flags);
int cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority);
int cudaStreamDestroy(void* stream);
int cudaStreamSynchronize(const void* stream);
int cudaStreamQuery(const void* stream);
int cudaStreamWaitEvent(const void* stream, void* event, unsigned flags);
int cudaStreamGetFlags(const void* stream, unsigned* flags);
int cudaStreamGetId(const void* stream, std::uint64_t* number);
int cudaStreamGetPriority(const void* stream, int* priority);
int cudaStreamAddCallback(void* stream, void (*act)(void*, int, void*), void* data, unsigned flags);
int cudaStreamBeginCapture(const void* stream, int mode);
int cudaStreamEndCapture(const void* stream, void** graph);
int cudaStreamIsCapturing(const void* stream, int* status);
int cudaLaunchHostFunc(const void* stream, void (*act)(void*), void* data);
int cudaEventCreateWithFlags(void** event, unsigned flags);
int cudaEventDestroy(void* event);
int cudaEventRecord(void* event, const void* stream);
int cudaEventRecordWithFlags(void* event, const void* stream, unsigned flags);
int cudaEventSynchronize(const void* event);
int cudaEventQuery(const void* event);
int cudaEventElapsedTime(float* milliseconds, const void* start, const void* end);
int cudaGraphInstantiateWithFlags(void** executable, const void* graph, std::uint64_t flags);
int cudaGraphLaunch(const void* executable, const void* stream);
int cudaGraphExecDestroy(const void* executable);
int cudaGraphDestroy(const void* graph);
int cudaFuncGetAttributes(heddle::capture::FunctionAttributes* attributes, const void* function);
int cudaFuncSetAttribute(const void* function, int attribute, int value);
int cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                   const heddle::capture::LaunchConfiguration* made);
int cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                         const heddle::capture::LaunchConfiguration* made);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                           std::size_t shared, unsigned flags);
const char* cudaGetErrorName(int error);
const char* cudaGetErrorString(int error);
}
