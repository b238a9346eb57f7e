// This file implements arrays: their allocation and what is known about them.

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

namespace heddle::capture {

namespace {

constexpr std::size_t kMostSide = 65536;  // texels in a row, and rows of a slice
constexpr std::size_t kMostSlices = 16384;
constexpr std::size_t kFaces = 6;  // of a cube

bool is_channel(const ChannelFormat& channel) {
  const int bits = channel.x + channel.y + channel.z + channel.w;
  return bits > 0 && bits % 8 == 0;
}

// Returns whether there are arrays with these dimensions and flags (CUDA Runtime API, cudaMalloc3DArray).
bool is_extent(const Extent& extent, unsigned flags) {
  if (extent.width == 0 || extent.width > kMostSide || extent.height > kMostSide) return false;
  if (extent.depth > kMostSlices) return false;
  if ((flags & Array::kCube) != 0) {
    const bool square = extent.width == extent.height;
    const bool layered = (flags & Array::kLayered) != 0;
    return square && extent.depth != 0 && extent.depth % kFaces == 0 && (layered || extent.depth == kFaces);
  }
  if ((flags & Array::kLayered) != 0) return extent.depth != 0;
  return extent.depth == 0 || extent.height != 0;
}

int allocate_array(const char* name, void** handle, const ChannelFormat& channel, const Extent& extent,
                   unsigned flags) {
  constexpr unsigned kKnown = Array::kLayered | Array::kSurface | Array::kCube | Array::kGather;
  if ((flags & ~kKnown) != 0)
    stop(std::string(name) +
         ": an array with other flags than those for layers, cubes, surfaces and gathers is not "
         "supported");
  return guarded(name, [&](Runtime& runtime) -> int {
    if (!is_channel(channel)) return kInvalidChannelDescriptor;
    if (!is_extent(extent, flags)) return kInvalidValue;
    if (const int error = check_unsafe_call(runtime); error != kSuccess) return error;
    auto array = std::make_unique<Array>();
    array->channel = channel;
    array->flags = flags;
    array->extent = extent;
    array->texel = static_cast<std::uint64_t>(channel.x + channel.y + channel.z + channel.w) / 8;
    array->pitch = pitch_of(array->row_bytes());
    array->slice = array->pitch * array->rows();
    array->address = runtime.session().allocate(array->bytes(), "array");
    if (array->address == 0) return kMemoryAllocation;
    *handle = array.get();
    runtime.arrays.emplace(*handle, std::move(array));
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

int cudaMallocArray(void** handle, const ChannelFormat* channel, std::size_t width, std::size_t height,
                    unsigned flags) {
  return allocate_array("cudaMallocArray", handle, *channel, {width, height, 0}, flags);
}

int cudaMalloc3DArray(void** handle, const ChannelFormat* channel, Extent extent, unsigned flags) {
  return allocate_array("cudaMalloc3DArray", handle, *channel, extent, flags);
}

int cudaFreeArray(void* handle) {
  return guarded("cudaFreeArray", [&](Runtime& runtime) -> int {
    if (handle == nullptr) return kSuccess;
    const Array* const array = runtime.array(handle);
    if (array == nullptr) return kInvalidValue;
    runtime.session().note(CapturedCall::Kind::kSynchronise, 0);
    runtime.session().free(array->address);
    runtime.arrays.erase(handle);
    return kSuccess;
  });
}

int cudaGetChannelDesc(ChannelFormat* channel, const void* handle) {
  return guarded("cudaGetChannelDesc", [&](Runtime& runtime) -> int {
    const Array* const array = runtime.array(handle);
    if (array == nullptr) return kInvalidValue;
    *channel = array->channel;
    return kSuccess;
  });
}

int cudaArrayGetInfo(ChannelFormat* channel, Extent* extent, unsigned* flags, const void* handle) {
  return guarded("cudaArrayGetInfo", [&](Runtime& runtime) -> int {
    const Array* const array = runtime.array(handle);
    if (array == nullptr) return kInvalidResourceHandle;
    if (channel != nullptr) *channel = array->channel;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return kSuccess;
  });
}
}
