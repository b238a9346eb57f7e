// All places of a pattern in a text: each thread compares at its place, and writes the places that it finds
// as bits of a word of its warp's ballot.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__constant__ char pattern[16];

__global__ void find(const char* text, int length, int letters, unsigned* found) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  bool same = at + letters <= length;
  for (int i = 0; same && i < letters; ++i) same = text[at + i] == pattern[i];
  const unsigned places = __ballot_sync(kAllLanes, same);
  if (threadIdx.x % 32 == 0) found[at / 32] = places;
}

int main() {
  std::string text;
  for (int i = 0; i < 1500; ++i) text.push_back("ab"[(i * i / 3 + i % 5) % 2]);
  const std::string sought = "abba";
  const int length = static_cast<int>(text.size()), letters = static_cast<int>(sought.size());
  const int blocks = (length + 127) / 128;
  std::vector<unsigned> found(blocks * 4);
  char* device_text;
  unsigned* device_found;
  cudaMalloc(&device_text, length);
  cudaMalloc(&device_found, found.size() * sizeof(unsigned));
  cudaMemcpy(device_text, text.data(), length, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(pattern, sought.data(), letters);
  find<<<blocks, 128>>>(device_text, length, letters, device_found);
  cudaMemcpy(found.data(), device_found, found.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(device_text);
  cudaFree(device_found);
  bool right = cudaGetLastError() == cudaSuccess;
  int matches = 0;
  for (int at = 0; at < length; ++at) {
    const bool expected = text.compare(at, letters, sought) == 0;
    matches += expected;
    right = right && (found[at / 32] >> at % 32 & 1) == expected;
  }
  right = right && matches > 0;
  std::printf("string_search: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
