// This file implements the driver's memory: allocations, copies and fills.

#include "stimuli/capture/cudart/calls.h"
#include "stimuli/capture/driver/driver.h"

namespace heddle::capture {

namespace {

int allocate_device(Address* address, std::size_t bytes) {
  return in_context([&]() -> int {
    if (address == nullptr || bytes == 0) return kInvalidValue;
    void* pointer = nullptr;
    const int error = cudaMalloc(&pointer, bytes);
    *address = reinterpret_cast<Address>(pointer);
    return error;
  });
}

int copy_linear(const char* name, const void* to, const void* from, std::size_t bytes, int kind,
                const void* stream, bool asynchronous) {
  return in_context([&] {
    return submit(name, stream, CopyOperation{{to, bytes}, {from, bytes}, {bytes}, kind, asynchronous});
  });
}

// Fills rows of `width` values of `element` bytes.
int fill_rows(const char* name, Address to, std::size_t pitch, std::uint32_t value, std::uint32_t element,
              std::size_t width, std::size_t rows, const void* stream, bool asynchronous) {
  return in_context([&] {
    return submit(
        name, stream,
        FillOperation{{pointer_of(to), pitch}, {width * element, rows}, value, element, asynchronous});
  });
}

// A side of a copy of rows, laid out as in NVIDIA's cuda.h.
struct RowsSide {
  std::size_t x_bytes;
  std::size_t y;
  int kind;  // 1: host, 2: device, 3: array, 4: unified
  const void* host;
  Address device;
  const void* array;
  std::size_t pitch;
};

struct RowsCopy {
  RowsSide from;
  RowsSide to;
  std::size_t row_bytes;
  std::size_t rows;
};

constexpr int kHostKind = 1;
constexpr int kArrayKind = 3;

// Returns the start of a side, or none if the side is of no kind that there is.
std::optional<End> end_of_rows(Runtime& runtime, const RowsSide& side, const RowsCopy& copy) {
  if (side.kind < kHostKind || side.kind > 4) return std::nullopt;
  if (side.kind != kArrayKind) {
    const auto* const start =
        static_cast<const std::byte*>(side.kind == kHostKind ? side.host : pointer_of(side.device));
    const std::size_t pitch = side.pitch == 0 ? copy.row_bytes : side.pitch;
    return End{start + side.y * pitch + side.x_bytes, pitch};
  }
  const Array* const array = runtime.array(side.array);
  if (array == nullptr || side.x_bytes + copy.row_bytes > array->row_bytes() ||
      side.y + copy.rows > array->rows())
    return std::nullopt;
  return End{pointer_of(array->address + side.y * array->pitch + side.x_bytes), array->pitch};
}

int copy_rows_of(const RowsCopy* copy, const void* stream, bool asynchronous) {
  return in_context([&] {
    return guarded("cuMemcpy2D", [&](Runtime& runtime) -> int {
      if (copy == nullptr) return kInvalidValue;
      const auto to = end_of_rows(runtime, copy->to, *copy);
      const auto from = end_of_rows(runtime, copy->from, *copy);
      if (!to || !from) return kInvalidValue;
      const auto on_host = [](const RowsSide& side) { return side.kind == kHostKind; };
      int kind = (on_host(copy->from) ? 0 : 2) + (on_host(copy->to) ? 0 : 1);
      if (copy->from.kind == 4 || copy->to.kind == 4) kind = kDefault;
      return submit(runtime, stream,
                    CopyOperation{*to, *from, {copy->row_bytes, copy->rows}, kind, asynchronous});
    });
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage
using heddle::Address;

extern "C" {

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free, total); });
}

int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  return allocate_device(address, bytes);
}

int cuMemAllocPitch_v2(Address* address, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned element) {
  return in_context([&]() -> int {
    if (address == nullptr || pitch == nullptr || width == 0 || height == 0) return kInvalidValue;
    if (element != 4 && element != 8 && element != 16) return kInvalidValue;
    void* pointer = nullptr;
    const int error = cudaMallocPitch(&pointer, pitch, width, height);
    *address = reinterpret_cast<Address>(pointer);
    return error;
  });
}

int cuMemAllocManaged(Address* address, std::size_t bytes, unsigned flags) {
  return in_context([&]() -> int {
    void* pointer = nullptr;
    const int error = cudaMallocManaged(&pointer, bytes, flags);
    *address = reinterpret_cast<Address>(pointer);
    return error;
  });
}

int cuMemAllocAsync(Address* address, std::size_t bytes, const void* stream) {
  return in_context([&]() -> int {
    if (address == nullptr || bytes == 0) return kInvalidValue;
    void* pointer = nullptr;
    const int error = cudaMallocAsync(&pointer, bytes, stream);
    *address = reinterpret_cast<Address>(pointer);
    return error;
  });
}

int cuMemFree_v2(Address address) {
  return in_context([&] { return cudaFree(pointer_of(address)); });
}

int cuMemFreeAsync(Address address, const void* stream) {
  return in_context([&] { return cudaFreeAsync(pointer_of(address), stream); });
}

int cuMemGetAddressRange_v2(Address* base, std::size_t* bytes, Address address) {
  return in_context([&]() -> int {
    const auto* const allocation = Runtime::get().session().memory().find(address);
    if (allocation == nullptr) return kDriverNotFound;
    if (base != nullptr) *base = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return kSuccess;
  });
}

int cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  return in_context([&] { return cudaMallocHost(pointer, bytes); });
}

int cuMemFreeHost(void* pointer) {
  return in_context([&] { return cudaFreeHost(pointer); });
}

int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostAlloc(pointer, bytes, flags); });
}

int cuMemHostGetDevicePointer_v2(Address* device, void* host, unsigned flags) {
  return in_context([&]() -> int {
    void* pointer = nullptr;
    const int error = cudaHostGetDevicePointer(&pointer, host, flags);
    *device = reinterpret_cast<Address>(pointer);
    return error;
  });
}

int cuMemHostGetFlags(unsigned* flags, void* host) {
  return in_context([&] { return cudaHostGetFlags(flags, host); });
}

int cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostRegister(host, bytes, flags); });
}

int cuMemHostUnregister(void* host) {
  return in_context([&] { return cudaHostUnregister(host); });
}

int cuMemcpy(Address to, Address from, std::size_t bytes) {
  return copy_linear("cuMemcpy", pointer_of(to), pointer_of(from), bytes, kDefault, nullptr, false);
}

int cuMemcpyAsync(Address to, Address from, std::size_t bytes, const void* stream) {
  return copy_linear("cuMemcpyAsync", pointer_of(to), pointer_of(from), bytes, kDefault, stream, true);
}

int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  return copy_linear("cuMemcpyHtoD", pointer_of(to), from, bytes, kHostToDevice, nullptr, false);
}

int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, const void* stream) {
  return copy_linear("cuMemcpyHtoDAsync", pointer_of(to), from, bytes, kHostToDevice, stream, true);
}

int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  return copy_linear("cuMemcpyDtoH", to, pointer_of(from), bytes, kDeviceToHost, nullptr, false);
}

int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, const void* stream) {
  return copy_linear("cuMemcpyDtoHAsync", to, pointer_of(from), bytes, kDeviceToHost, stream, true);
}

int cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  return copy_linear("cuMemcpyDtoD", pointer_of(to), pointer_of(from), bytes, kDeviceToDevice, nullptr,
                     false);
}

int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, const void* stream) {
  return copy_linear("cuMemcpyDtoDAsync", pointer_of(to), pointer_of(from), bytes, kDeviceToDevice, stream,
                     true);
}

int cuMemcpy_ptds(Address to, Address from, std::size_t bytes) {
  return copy_linear("cuMemcpy", pointer_of(to), pointer_of(from), bytes, kDefault, thread_stream(), false);
}

int cuMemcpyHtoD_v2_ptds(Address to, const void* from, std::size_t bytes) {
  return copy_linear("cuMemcpyHtoD", pointer_of(to), from, bytes, kHostToDevice, thread_stream(), false);
}

int cuMemcpyDtoH_v2_ptds(void* to, Address from, std::size_t bytes) {
  return copy_linear("cuMemcpyDtoH", to, pointer_of(from), bytes, kDeviceToHost, thread_stream(), false);
}

int cuMemcpyDtoD_v2_ptds(Address to, Address from, std::size_t bytes) {
  return copy_linear("cuMemcpyDtoD", pointer_of(to), pointer_of(from), bytes, kDeviceToDevice,
                     thread_stream(), false);
}

int cuMemcpy2D_v2(const RowsCopy* copy) {
  return copy_rows_of(copy, nullptr, false);
}

int cuMemcpy2DUnaligned_v2(const RowsCopy* copy) {
  return copy_rows_of(copy, nullptr, false);
}

int cuMemcpy2DAsync_v2(const RowsCopy* copy, const void* stream) {
  return copy_rows_of(copy, stream, true);
}

int cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) {
  return fill_rows("cuMemsetD8", to, count, value, 1, count, 1, nullptr, false);
}

int cuMemsetD8Async(Address to, unsigned char value, std::size_t count, const void* stream) {
  return fill_rows("cuMemsetD8Async", to, count, value, 1, count, 1, stream, true);
}

int cuMemsetD16_v2(Address to, unsigned short value, std::size_t count) {
  return fill_rows("cuMemsetD16", to, count, value, 2, count, 1, nullptr, false);
}

int cuMemsetD16Async(Address to, unsigned short value, std::size_t count, const void* stream) {
  return fill_rows("cuMemsetD16Async", to, count, value, 2, count, 1, stream, true);
}

int cuMemsetD32_v2(Address to, unsigned value, std::size_t count) {
  return fill_rows("cuMemsetD32", to, count, value, 4, count, 1, nullptr, false);
}

int cuMemsetD32Async(Address to, unsigned value, std::size_t count, const void* stream) {
  return fill_rows("cuMemsetD32Async", to, count, value, 4, count, 1, stream, true);
}

int cuMemsetD2D8_v2(Address to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t rows) {
  return fill_rows("cuMemsetD2D8", to, pitch, value, 1, width, rows, nullptr, false);
}

int cuMemsetD2D32_v2(Address to, std::size_t pitch, unsigned value, std::size_t width, std::size_t rows) {
  return fill_rows("cuMemsetD2D32", to, pitch, value, 4, width, rows, nullptr, false);
}
}
