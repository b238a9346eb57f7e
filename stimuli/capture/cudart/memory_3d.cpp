// This file implements memory of three dimensions: its allocation, copies and fills.

#include "stimuli/capture/cudart/memory_3d.h"

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"

namespace heddle::capture {

namespace {

struct Side {
  const Array* array = nullptr;  // null: the bytes are at a pointer
  Position position{};
  Pitched pitched{};
};

bool exceeds(std::uint64_t first, std::uint64_t count, std::uint64_t all) {
  return first > all || count > all - first;
}

// Returns the start of the bytes, or none if they exceed an array.
std::optional<End> end_of_side(const Side& side, const Extent& extent) {
  const Position& at = side.position;
  if (side.array == nullptr) {
    const std::uint64_t slice = side.pitched.pitch * side.pitched.rows;
    const std::uint64_t offset = at.z * slice + at.y * side.pitched.pitch + at.x;
    return End{static_cast<const std::byte*>(side.pitched.pointer) + offset, side.pitched.pitch, slice};
  }
  const Array& array = *side.array;
  if (exceeds(at.x, extent.width, array.extent.width) || exceeds(at.y, extent.height, array.rows()) ||
      exceeds(at.z, extent.depth, array.slices()))
    return std::nullopt;
  const Address start = array.address + at.z * array.slice + at.y * array.pitch + at.x * array.texel;
  return End{reinterpret_cast<const void*>(start), array.pitch, array.slice};
}

// A side is an array or a pointer. Returns false if it is both, or neither, or an array that does not exist.
bool set_side(Runtime& runtime, Side& side, const void* array, const Position& position,
              const Pitched& pitched) {
  side.array = runtime.array(array);
  side.position = position;
  side.pitched = pitched;
  return (array == nullptr) != (pitched.pointer == nullptr) && (array == nullptr) == (side.array == nullptr);
}

int fill_3d(const char* name, const Pitched& to, int value, const Extent& extent, const void* stream,
            bool asynchronous) {
  const FillOperation operation{{to.pointer, to.pitch, to.pitch * to.rows},
                                {extent.width, extent.height, extent.depth},
                                static_cast<std::uint32_t>(value),
                                1,
                                asynchronous};
  return submit(name, stream, operation);
}

int copy_3d(const char* name, const Copy3D* parameters, const void* stream, bool asynchronous) {
  return guarded(name, [&](Runtime& runtime) -> int {
    if (parameters == nullptr) return kInvalidValue;
    CopyOperation operation;
    if (const int error = read_copy(runtime, *parameters, operation); error != kSuccess) return error;
    operation.asynchronous = asynchronous;
    return submit(runtime, stream, operation);
  });
}

}  // namespace

int read_copy(Runtime& runtime, const Copy3D& parameters, CopyOperation& copy) {
  Side to;
  Side from;
  if (!set_side(runtime, to, parameters.to_array, parameters.to_position, parameters.to))
    return kInvalidValue;
  if (!set_side(runtime, from, parameters.from_array, parameters.from_position, parameters.from))
    return kInvalidValue;
  if (to.array != nullptr && from.array != nullptr && to.array->texel != from.array->texel)
    return kInvalidValue;
  const Array* const array = to.array != nullptr ? to.array : from.array;
  const auto to_end = end_of_side(to, parameters.extent);
  const auto from_end = end_of_side(from, parameters.extent);
  if (!to_end || !from_end) return kInvalidValue;
  copy.to = *to_end;
  copy.from = *from_end;
  copy.shape = {parameters.extent.width * (array == nullptr ? 1 : array->texel), parameters.extent.height,
                parameters.extent.depth};
  copy.kind = parameters.kind;
  return kSuccess;
}

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaMalloc3D(Pitched* made, Extent extent) {
  return guarded("cudaMalloc3D", [&](Runtime& runtime) -> int {
    if (made == nullptr) return kInvalidValue;
    if (const int error = check_unsafe_call(runtime); error != kSuccess) return error;
    *made = {nullptr, pitch_of(extent.width), extent.width, extent.height};
    const std::uint64_t bytes = made->pitch * extent.height * extent.depth;
    if (bytes == 0) return kSuccess;
    made->pointer = reinterpret_cast<void*>(runtime.session().allocate(bytes, "memory"));
    return made->pointer == nullptr ? kMemoryAllocation : kSuccess;
  });
}

int cudaMemcpy3D(const Copy3D* parameters) {
  return copy_3d("cudaMemcpy3D", parameters, nullptr, false);
}

int cudaMemcpy3D_ptds(const Copy3D* parameters) {
  return copy_3d("cudaMemcpy3D", parameters, thread_stream(), false);
}

int cudaMemcpy3DAsync(const Copy3D* parameters, const void* stream) {
  return copy_3d("cudaMemcpy3DAsync", parameters, stream, true);
}

int cudaMemcpy3DAsync_ptsz(const Copy3D* parameters, const void* stream) {
  return cudaMemcpy3DAsync(parameters, or_thread_stream(stream));
}

int cudaMemset3D(Pitched to, int value, Extent extent) {
  return fill_3d("cudaMemset3D", to, value, extent, nullptr, false);
}

int cudaMemset3D_ptds(Pitched to, int value, Extent extent) {
  return fill_3d("cudaMemset3D", to, value, extent, thread_stream(), false);
}

int cudaMemset3DAsync(Pitched to, int value, Extent extent, const void* stream) {
  return fill_3d("cudaMemset3DAsync", to, value, extent, stream, true);
}

int cudaMemset3DAsync_ptsz(Pitched to, int value, Extent extent, const void* stream) {
  return cudaMemset3DAsync(to, value, extent, or_thread_stream(stream));
}
}
