// This file implements copies from, to and between arrays.

#include <algorithm>

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

// How a copy runs: the stream, and whether the host goes on at once.
struct Manner {
  const void* stream = nullptr;
  bool asynchronous = false;
};

// A place in an array: an offset in a row, in bytes, and a row.
struct Place {
  const void* array = nullptr;
  std::size_t x = 0;
  std::size_t y = 0;
};

// Returns the start of the rows in the array, or none if they exceed it.
std::optional<End> end_of(Runtime& runtime, const Place& place, const Shape& shape) {
  const Array* const array = runtime.array(place.array);
  if (array == nullptr) return std::nullopt;
  if (place.x > array->row_bytes() || shape.bytes > array->row_bytes() - place.x) return std::nullopt;
  if (place.y > array->rows() || shape.rows > array->rows() - place.y) return std::nullopt;
  return End{reinterpret_cast<const void*>(array->address + place.y * array->pitch + place.x), array->pitch,
             array->slice};
}

int copy_rows(const char* name, const Place& place, const End& other, const Shape& shape, int kind,
              bool to_array, const Manner& manner) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto end = end_of(runtime, place, shape);
    if (!end) return kInvalidValue;
    return submit(
        runtime, manner.stream,
        CopyOperation{to_array ? *end : other, to_array ? other : *end, shape, kind, manner.asynchronous});
  });
}

int copy_between(const char* name, const Place& to, const Place& from, const Shape& shape,
                 const void* stream) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto to_end = end_of(runtime, to, shape);
    const auto from_end = end_of(runtime, from, shape);
    if (!to_end || !from_end) return kInvalidValue;
    return submit(runtime, stream, CopyOperation{*to_end, *from_end, shape, kDeviceToDevice, false});
  });
}

// Returns how many of `bytes` bytes are in the row of the place; 0: there is no such place.
std::size_t part_in_row(Runtime& runtime, const Place& place, std::size_t bytes) {
  const Array* const array = runtime.array(place.array);
  if (array == nullptr || place.x >= array->row_bytes()) return 0;
  return std::min(bytes, array->row_bytes() - place.x);
}

// Bytes that follow each other in an array go on in its next row.
void advance(Runtime& runtime, Place& place, std::size_t bytes) {
  place.x += bytes;
  if (place.x < runtime.array(place.array)->row_bytes()) return;
  place.x = 0;
  ++place.y;
}

int copy_bytes(const char* name, Place place, const void* pointer, std::size_t bytes, int kind, bool to_array,
               const Manner& manner) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto* at = static_cast<const std::byte*>(pointer);
    while (bytes > 0) {
      const std::size_t part = part_in_row(runtime, place, bytes);
      const auto end = end_of(runtime, place, {part});
      if (part == 0 || !end) return kInvalidValue;
      const End other{at, part};
      const CopyOperation copy{
          to_array ? *end : other, to_array ? other : *end, {part}, kind, manner.asynchronous};
      if (const int error = submit(runtime, manner.stream, copy); error != kSuccess) return error;
      advance(runtime, place, part);
      at += part;
      bytes -= part;
    }
    return kSuccess;
  });
}

int copy_bytes_between(Place to, Place from, std::size_t bytes, const void* stream) {
  return guarded("cudaMemcpyArrayToArray", [&](Runtime& runtime) -> int {
    while (bytes > 0) {
      const std::size_t part = part_in_row(runtime, from, part_in_row(runtime, to, bytes));
      const auto to_end = end_of(runtime, to, {part});
      const auto from_end = end_of(runtime, from, {part});
      if (part == 0 || !to_end || !from_end) return kInvalidValue;
      const CopyOperation copy{*to_end, *from_end, {part}, kDeviceToDevice, false};
      if (const int error = submit(runtime, stream, copy); error != kSuccess) return error;
      advance(runtime, to, part);
      advance(runtime, from, part);
      bytes -= part;
    }
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaMemcpyToArray(void* array, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                      int kind) {
  return copy_bytes("cudaMemcpyToArray", {array, x, y}, from, bytes, kind, true, {});
}

int cudaMemcpyToArray_ptds(void* array, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                           int kind) {
  return copy_bytes("cudaMemcpyToArray", {array, x, y}, from, bytes, kind, true, {thread_stream()});
}

int cudaMemcpyToArrayAsync(void* array, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                           int kind, const void* stream) {
  return copy_bytes("cudaMemcpyToArrayAsync", {array, x, y}, from, bytes, kind, true, {stream, true});
}

int cudaMemcpyToArrayAsync_ptsz(void* array, std::size_t x, std::size_t y, const void* from,
                                std::size_t bytes, int kind, const void* stream) {
  return cudaMemcpyToArrayAsync(array, x, y, from, bytes, kind, or_thread_stream(stream));
}

int cudaMemcpyFromArray(void* to, const void* array, std::size_t x, std::size_t y, std::size_t bytes,
                        int kind) {
  return copy_bytes("cudaMemcpyFromArray", {array, x, y}, to, bytes, kind, false, {});
}

int cudaMemcpyFromArray_ptds(void* to, const void* array, std::size_t x, std::size_t y, std::size_t bytes,
                             int kind) {
  return copy_bytes("cudaMemcpyFromArray", {array, x, y}, to, bytes, kind, false, {thread_stream()});
}

int cudaMemcpyFromArrayAsync(void* to, const void* array, std::size_t x, std::size_t y, std::size_t bytes,
                             int kind, const void* stream) {
  return copy_bytes("cudaMemcpyFromArrayAsync", {array, x, y}, to, bytes, kind, false, {stream, true});
}

int cudaMemcpyFromArrayAsync_ptsz(void* to, const void* array, std::size_t x, std::size_t y,
                                  std::size_t bytes, int kind, const void* stream) {
  return cudaMemcpyFromArrayAsync(to, array, x, y, bytes, kind, or_thread_stream(stream));
}

int cudaMemcpyArrayToArray(void* to, std::size_t to_x, std::size_t to_y, const void* from, std::size_t from_x,
                           std::size_t from_y, std::size_t bytes, int /*kind*/) {
  return copy_bytes_between({to, to_x, to_y}, {from, from_x, from_y}, bytes, nullptr);
}

int cudaMemcpyArrayToArray_ptds(void* to, std::size_t to_x, std::size_t to_y, const void* from,
                                std::size_t from_x, std::size_t from_y, std::size_t bytes, int /*kind*/) {
  return copy_bytes_between({to, to_x, to_y}, {from, from_x, from_y}, bytes, thread_stream());
}

int cudaMemcpy2DToArray(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                        std::size_t width, std::size_t height, int kind) {
  return copy_rows("cudaMemcpy2DToArray", {array, x, y}, {from, pitch}, {width, height}, kind, true, {});
}

int cudaMemcpy2DToArray_ptds(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                             std::size_t width, std::size_t height, int kind) {
  return copy_rows("cudaMemcpy2DToArray", {array, x, y}, {from, pitch}, {width, height}, kind, true,
                   {thread_stream()});
}

int cudaMemcpy2DToArrayAsync(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                             std::size_t width, std::size_t height, int kind, const void* stream) {
  return copy_rows("cudaMemcpy2DToArrayAsync", {array, x, y}, {from, pitch}, {width, height}, kind, true,
                   {stream, true});
}

int cudaMemcpy2DToArrayAsync_ptsz(void* array, std::size_t x, std::size_t y, const void* from,
                                  std::size_t pitch, std::size_t width, std::size_t height, int kind,
                                  const void* stream) {
  return cudaMemcpy2DToArrayAsync(array, x, y, from, pitch, width, height, kind, or_thread_stream(stream));
}

int cudaMemcpy2DFromArray(void* to, std::size_t pitch, const void* array, std::size_t x, std::size_t y,
                          std::size_t width, std::size_t height, int kind) {
  return copy_rows("cudaMemcpy2DFromArray", {array, x, y}, {to, pitch}, {width, height}, kind, false, {});
}

int cudaMemcpy2DFromArray_ptds(void* to, std::size_t pitch, const void* array, std::size_t x, std::size_t y,
                               std::size_t width, std::size_t height, int kind) {
  return copy_rows("cudaMemcpy2DFromArray", {array, x, y}, {to, pitch}, {width, height}, kind, false,
                   {thread_stream()});
}

int cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const void* array, std::size_t x, std::size_t y,
                               std::size_t width, std::size_t height, int kind, const void* stream) {
  return copy_rows("cudaMemcpy2DFromArrayAsync", {array, x, y}, {to, pitch}, {width, height}, kind, false,
                   {stream, true});
}

int cudaMemcpy2DFromArrayAsync_ptsz(void* to, std::size_t pitch, const void* array, std::size_t x,
                                    std::size_t y, std::size_t width, std::size_t height, int kind,
                                    const void* stream) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, array, x, y, width, height, kind, or_thread_stream(stream));
}

int cudaMemcpy2DArrayToArray(void* to, std::size_t to_x, std::size_t to_y, const void* from,
                             std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                             int /*kind*/) {
  return copy_between("cudaMemcpy2DArrayToArray", {to, to_x, to_y}, {from, from_x, from_y}, {width, height},
                      nullptr);
}

int cudaMemcpy2DArrayToArray_ptds(void* to, std::size_t to_x, std::size_t to_y, const void* from,
                                  std::size_t from_x, std::size_t from_y, std::size_t width,
                                  std::size_t height, int /*kind*/) {
  return copy_between("cudaMemcpy2DArrayToArray", {to, to_x, to_y}, {from, from_x, from_y}, {width, height},
                      thread_stream());
}
}
