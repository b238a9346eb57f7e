// This file implements copies and fills.

#include <cstring>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

// An End is the start of the rows of one side of a copy, on the device or on the host.
struct End {
  const void* pointer = nullptr;
  std::uint64_t pitch = 0;
};

struct Shape {
  std::uint64_t bytes = 0;  // bytes of a row
  std::uint64_t count = 1;
};

Rows rows_of(const End& end, const Shape& shape) {
  return {reinterpret_cast<Address>(end.pointer), end.pitch, shape.bytes, shape.count};
}

bool on_device(Runtime& runtime, const End& end) {
  return runtime.session().memory().find(reinterpret_cast<Address>(end.pointer)) != nullptr;
}

// Returns whether all rows lie in one allocation.
bool holds(Runtime& runtime, const End& end, const Shape& shape) {
  const Rows rows = rows_of(end, shape);
  return runtime.session().memory().find(rows.address, rows.extent()) != nullptr;
}

// Returns whether host memory can lie there: neither at null nor among the addresses of device memory, where
// Linux gives a program no memory and only shared memory is.
bool can_be_on_host(const Runtime& runtime, const End& end) {
  constexpr Address kEnd = 2 * DeviceMemory::kFirst;
  const auto address = reinterpret_cast<Address>(end.pointer);
  if (runtime.managed.holds(end.pointer)) return true;
  return end.pointer != nullptr && (address < DeviceMemory::kFirst || address >= kEnd);
}

int perform(Runtime& runtime, const End& to, const End& from, const Shape& shape, int kind,
            const void* stream_handle, bool asynchronous) {
  const auto stream = runtime.stream(stream_handle);
  if (!stream) return kInvalidResourceHandle;
  if (shape.bytes == 0 || shape.count == 0) return kSuccess;
  if (shape.count > 1 && (to.pitch < shape.bytes || from.pitch < shape.bytes)) return kInvalidPitchValue;
  if (kind < kHostToHost || kind > kDefault) return kInvalidMemcpyDirection;
  const bool down = kind == kDefault ? on_device(runtime, from) : kind >= kDeviceToHost;
  const bool up = kind == kDefault ? on_device(runtime, to) : (kind & 1) != 0;
  if ((down && !holds(runtime, from, shape)) || (up && !holds(runtime, to, shape))) return kInvalidValue;
  if ((!down && !can_be_on_host(runtime, from)) || (!up && !can_be_on_host(runtime, to)))
    return kInvalidValue;
  const bool is_managed =
      (down && runtime.managed.holds(from.pointer)) || (up && runtime.managed.holds(to.pointer));
  if (is_managed) runtime.managed.upload(runtime.session(), *stream);
  const Session::Order order{*stream, asynchronous};
  auto* const host = const_cast<void*>(to.pointer);
  if (up && down) {
    runtime.session().copy(rows_of(to, shape), rows_of(from, shape), order);
  } else if (up) {
    runtime.session().upload(rows_of(to, shape), from.pointer, from.pitch, order);
  } else if (down) {
    runtime.session().download(host, to.pitch, rows_of(from, shape), order);
  } else {
    for (std::uint64_t row = 0; row < shape.count; ++row)
      std::memmove(static_cast<std::byte*>(host) + row * to.pitch,
                   static_cast<const std::byte*>(from.pointer) + row * from.pitch, shape.bytes);
  }
  if (is_managed) runtime.managed.take_changes(runtime.session());
  if (!asynchronous) runtime.managed.synchronise(runtime.session());
  return kSuccess;
}

int copy(const char* name, const End& to, const End& from, const Shape& shape, int kind,
         const void* stream = nullptr, bool asynchronous = false) {
  return guarded(
      name, [&](Runtime& runtime) { return perform(runtime, to, from, shape, kind, stream, asynchronous); });
}

// Copies between a symbol and `pointer`; `to_symbol` gives the direction.
int copy_symbol(const char* name, const void* handle, const void* pointer, std::size_t bytes,
                std::size_t offset, int kind, bool to_symbol, const void* stream, bool asynchronous) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto symbol = runtime.symbol(handle);
    if (!symbol) return kInvalidSymbol;
    if (offset > symbol->bytes || bytes > symbol->bytes - offset) return kInvalidValue;
    const End end{reinterpret_cast<const void*>(symbol->address + offset), bytes};
    const End other{pointer, bytes};
    return perform(runtime, to_symbol ? end : other, to_symbol ? other : end, {bytes, 1}, kind, stream,
                   asynchronous);
  });
}

// Returns the place of rows in an array, or none if they exceed the array.
std::optional<End> place(Runtime& runtime, const void* handle, std::size_t x, std::size_t y,
                         const Shape& shape) {
  const auto found = runtime.arrays.find(handle);
  if (found == runtime.arrays.end()) return std::nullopt;
  const Rows& rows = found->second->rows;
  if (x > rows.bytes || shape.bytes > rows.bytes - x || y > rows.count || shape.count > rows.count - y)
    return std::nullopt;
  return End{reinterpret_cast<const void*>(rows.address + y * rows.pitch + x), rows.pitch};
}

int copy_array(const char* name, const void* array, std::size_t x, std::size_t y, const End& other,
               const Shape& shape, int kind, bool to_array, const void* stream = nullptr,
               bool asynchronous = false) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto end = place(runtime, array, x, y, shape);
    if (!end) return kInvalidValue;
    return perform(runtime, to_array ? *end : other, to_array ? other : *end, shape, kind, stream,
                   asynchronous);
  });
}

// Copies to or from an array. The bytes are part of one row, or whole rows from row `y` on.
int copy_whole_rows(const char* name, const void* array, std::size_t x, std::size_t y, const void* pointer,
                    std::size_t bytes, int kind, bool to_array) {
  const auto found = Runtime::get().arrays.find(array);
  if (found == Runtime::get().arrays.end()) return remember(kInvalidValue);
  const std::size_t row = found->second->rows.bytes;
  if (bytes <= row) return copy_array(name, array, x, y, {pointer, bytes}, {bytes, 1}, kind, to_array);
  if (x != 0 || bytes % row != 0)
    stop(std::string(name) + ": parts of several rows of an array are not supported");
  return copy_array(name, array, 0, y, {pointer, row}, {row, bytes / row}, kind, to_array);
}

int fill(const char* name, void* pointer, std::size_t pitch, int value, const Shape& shape,
         const void* stream_handle, bool asynchronous) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto stream = runtime.stream(stream_handle);
    if (!stream) return kInvalidResourceHandle;
    const End end{pointer, pitch};
    if (shape.bytes == 0 || shape.count == 0) return kSuccess;
    if (!holds(runtime, end, shape)) return kInvalidValue;
    const bool is_managed = runtime.managed.holds(pointer);
    if (is_managed) runtime.managed.upload(runtime.session(), *stream);
    runtime.session().fill(rows_of(end, shape), static_cast<std::uint8_t>(value), {*stream, asynchronous});
    if (is_managed) runtime.managed.take_changes(runtime.session());
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy("cudaMemcpy", {to, bytes}, {from, bytes}, {bytes, 1}, kind);
}

int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return copy("cudaMemcpyAsync", {to, bytes}, {from, bytes}, {bytes, 1}, kind, stream, true);
}

int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t height, int kind) {
  return copy("cudaMemcpy2D", {to, to_pitch}, {from, from_pitch}, {width, height}, kind);
}

int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, int kind, void* stream) {
  return copy("cudaMemcpy2DAsync", {to, to_pitch}, {from, from_pitch}, {width, height}, kind, stream, true);
}

int cudaMemcpyPeer(void* /*to*/, int /*to_device*/, const void* /*from*/, int /*from_device*/,
                   std::size_t /*bytes*/) {
  stop("cudaMemcpyPeer: there is one GPU");
}

int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                       int kind) {
  return copy_symbol("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind, true, nullptr, false);
}

int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                            int kind, void* stream) {
  return copy_symbol("cudaMemcpyToSymbolAsync", symbol, from, bytes, offset, kind, true, stream, true);
}

int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return copy_symbol("cudaMemcpyFromSymbol", symbol, to, bytes, offset, kind, false, nullptr, false);
}

int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                              void* stream) {
  return copy_symbol("cudaMemcpyFromSymbolAsync", symbol, to, bytes, offset, kind, false, stream, true);
}

int cudaMemcpyToArray(void* array, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                      int kind) {
  return copy_whole_rows("cudaMemcpyToArray", array, x, y, from, bytes, kind, true);
}

int cudaMemcpyFromArray(void* to, const void* array, std::size_t x, std::size_t y, std::size_t bytes,
                        int kind) {
  return copy_whole_rows("cudaMemcpyFromArray", array, x, y, to, bytes, kind, false);
}

int cudaMemcpy2DToArray(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                        std::size_t width, std::size_t height, int kind) {
  return copy_array("cudaMemcpy2DToArray", array, x, y, {from, pitch}, {width, height}, kind, true);
}

int cudaMemcpy2DToArrayAsync(void* array, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                             std::size_t width, std::size_t height, int kind, void* stream) {
  return copy_array("cudaMemcpy2DToArrayAsync", array, x, y, {from, pitch}, {width, height}, kind, true,
                    stream, true);
}

int cudaMemcpy2DFromArray(void* to, std::size_t pitch, const void* array, std::size_t x, std::size_t y,
                          std::size_t width, std::size_t height, int kind) {
  return copy_array("cudaMemcpy2DFromArray", array, x, y, {to, pitch}, {width, height}, kind, false);
}

int cudaMemset(void* pointer, int value, std::size_t bytes) {
  return fill("cudaMemset", pointer, bytes, value, {bytes, 1}, nullptr, false);
}

int cudaMemsetAsync(void* pointer, int value, std::size_t bytes, void* stream) {
  return fill("cudaMemsetAsync", pointer, bytes, value, {bytes, 1}, stream, true);
}

int cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill("cudaMemset2D", pointer, pitch, value, {width, height}, nullptr, false);
}

int cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      void* stream) {
  return fill("cudaMemset2DAsync", pointer, pitch, value, {width, height}, stream, true);
}

int cudaGetSymbolAddress(void** pointer, const void* handle) {
  return guarded("cudaGetSymbolAddress", [&](Runtime& runtime) -> int {
    const auto symbol = runtime.symbol(handle);
    if (!symbol) return kInvalidSymbol;
    *pointer = reinterpret_cast<void*>(symbol->address);
    return kSuccess;
  });
}

int cudaGetSymbolSize(std::size_t* bytes, const void* handle) {
  return guarded("cudaGetSymbolSize", [&](Runtime& runtime) -> int {
    const auto symbol = runtime.symbol(handle);
    if (!symbol) return kInvalidSymbol;
    *bytes = symbol->bytes;
    return kSuccess;
  });
}
}
