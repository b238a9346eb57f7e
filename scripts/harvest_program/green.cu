#include "scripts/harvest_program/green.h"

// cuGreenCtxStreamCreate came with CUDA 12.5.
#if CUDART_VERSION >= 12050
#include <cuda.h>
#endif

namespace harvest {

#if CUDART_VERSION >= 12050

namespace {

// The driver's function of that name, or nothing. No library of the driver is linked.
template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  if (cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result) != cudaSuccess ||
      result != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return reinterpret_cast<Function*>(found);
}

cudaStream_t stream_on(CUdevResource& sms) {
  auto* const describe = driver_function<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc");
  auto* const create = driver_function<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate");
  auto* const stream_of = driver_function<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate");
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  if (describe == nullptr || create == nullptr || stream_of == nullptr ||
      describe(&description, &sms, 1) != CUDA_SUCCESS ||
      create(&context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS ||
      stream_of(&stream, context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
    return nullptr;
  return stream;
}

__global__ void nothing() {}

// Returns whether a kernel of the second stream can wait for one of the first, as the pairs do.
bool work_together(const GreenStreams& streams) {
  cudaEvent_t event = nullptr;
  if (cudaEventCreate(&event) != cudaSuccess) return false;
  nothing<<<1, 1, 0, streams.first>>>();
  bool works = cudaGetLastError() == cudaSuccess && cudaEventRecord(event, streams.first) == cudaSuccess &&
               cudaStreamWaitEvent(streams.second, event, 0) == cudaSuccess;
  nothing<<<1, 1, 0, streams.second>>>();
  works = cudaGetLastError() == cudaSuccess && cudaStreamSynchronize(streams.second) == cudaSuccess && works;
  cudaEventDestroy(event);
  cudaGetLastError();  // what has failed here is no failure of the harvest
  return works;
}

}  // namespace

std::optional<GreenStreams> make_green_streams() {
  auto* const resource = driver_function<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource");
  auto* const split = driver_function<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount");
  if (resource == nullptr || split == nullptr) return std::nullopt;
  CUdevResource all{};
  CUdevResource first{};
  CUdevResource rest{};
  unsigned groups = 1;
  if (resource(0, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
      split(&first, &groups, &all, &rest, 0, all.sm.smCount / 2) != CUDA_SUCCESS || rest.sm.smCount == 0)
    return std::nullopt;
  GreenStreams streams;
  streams.first = stream_on(first);
  streams.second = stream_on(rest);
  if (streams.first == nullptr || streams.second == nullptr || !work_together(streams)) return std::nullopt;
  streams.way = "green:" + std::to_string(first.sm.smCount) + ":" + std::to_string(rest.sm.smCount);
  return streams;
}

#else

std::optional<GreenStreams> make_green_streams() {
  return std::nullopt;
}

#endif

}  // namespace harvest
