// This file implements copies and fills of linear memory, and copies of variables.

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

int copy(const char* name, const End& to, const End& from, const Shape& shape, int kind,
         const void* stream = nullptr, bool asynchronous = false) {
  return submit(name, stream, CopyOperation{to, from, shape, kind, asynchronous});
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
    return submit(
        runtime, stream,
        CopyOperation{to_symbol ? end : other, to_symbol ? other : end, {bytes}, kind, asynchronous});
  });
}

int fill(const char* name, void* pointer, std::size_t pitch, int value, const Shape& shape,
         const void* stream, bool asynchronous) {
  return submit(name, stream,
                FillOperation{{pointer, pitch}, shape, static_cast<std::uint32_t>(value), 1, asynchronous});
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy("cudaMemcpy", {to, bytes}, {from, bytes}, {bytes}, kind);
}

int cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, int kind) {
  return copy("cudaMemcpy", {to, bytes}, {from, bytes}, {bytes}, kind, thread_stream());
}

int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return copy("cudaMemcpyAsync", {to, bytes}, {from, bytes}, {bytes}, kind, stream, true);
}

int cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, or_thread_stream(stream));
}

int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t height, int kind) {
  return copy("cudaMemcpy2D", {to, to_pitch}, {from, from_pitch}, {width, height}, kind);
}

int cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, int kind) {
  return copy("cudaMemcpy2D", {to, to_pitch}, {from, from_pitch}, {width, height}, kind, thread_stream());
}

int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, int kind, void* stream) {
  return copy("cudaMemcpy2DAsync", {to, to_pitch}, {from, from_pitch}, {width, height}, kind, stream, true);
}

int cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                           std::size_t width, std::size_t height, int kind, void* stream) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, or_thread_stream(stream));
}

int cudaMemcpyPeer(void* /*to*/, int /*to_device*/, const void* /*from*/, int /*from_device*/,
                   std::size_t /*bytes*/) {
  stop("cudaMemcpyPeer: there is one GPU");
}

int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                       int kind) {
  return copy_symbol("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind, true, nullptr, false);
}

int cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                            int kind) {
  return copy_symbol("cudaMemcpyToSymbol", symbol, from, bytes, offset, kind, true, thread_stream(), false);
}

int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                            int kind, void* stream) {
  return copy_symbol("cudaMemcpyToSymbolAsync", symbol, from, bytes, offset, kind, true, stream, true);
}

int cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                 int kind, void* stream) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, or_thread_stream(stream));
}

int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return copy_symbol("cudaMemcpyFromSymbol", symbol, to, bytes, offset, kind, false, nullptr, false);
}

int cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return copy_symbol("cudaMemcpyFromSymbol", symbol, to, bytes, offset, kind, false, thread_stream(), false);
}

int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                              void* stream) {
  return copy_symbol("cudaMemcpyFromSymbolAsync", symbol, to, bytes, offset, kind, false, stream, true);
}

int cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                   int kind, void* stream) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, or_thread_stream(stream));
}

int cudaMemset(void* pointer, int value, std::size_t bytes) {
  return fill("cudaMemset", pointer, bytes, value, {bytes}, nullptr, false);
}

int cudaMemset_ptds(void* pointer, int value, std::size_t bytes) {
  return fill("cudaMemset", pointer, bytes, value, {bytes}, thread_stream(), false);
}

int cudaMemsetAsync(void* pointer, int value, std::size_t bytes, void* stream) {
  return fill("cudaMemsetAsync", pointer, bytes, value, {bytes}, stream, true);
}

int cudaMemsetAsync_ptsz(void* pointer, int value, std::size_t bytes, void* stream) {
  return cudaMemsetAsync(pointer, value, bytes, or_thread_stream(stream));
}

int cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill("cudaMemset2D", pointer, pitch, value, {width, height}, nullptr, false);
}

int cudaMemset2D_ptds(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill("cudaMemset2D", pointer, pitch, value, {width, height}, thread_stream(), false);
}

int cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      void* stream) {
  return fill("cudaMemset2DAsync", pointer, pitch, value, {width, height}, stream, true);
}

int cudaMemset2DAsync_ptsz(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                           void* stream) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, or_thread_stream(stream));
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
