// Integer instructions that compilers reach by intrinsics: dp4a, lop3, funnel shift, byte permutation,
// reversal and counts of bits.

#include <cuda_runtime.h>

#include <cstdio>

constexpr int kCount = 256, kResults = 5;

__global__ void compute(const unsigned* a, const unsigned* b, unsigned* result) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned dot, logic, shifted, bytes, reversed;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(dot) : "r"(a[i]), "r"(b[i]), "r"(i));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(logic) : "r"(a[i]), "r"(b[i]), "r"(i * 77));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(shifted) : "r"(a[i]), "r"(b[i]), "r"(i));
  asm("prmt.b32 %0, %1, %2, 0x4071;" : "=r"(bytes) : "r"(a[i]), "r"(b[i]));
  asm("brev.b32 %0, %1;" : "=r"(reversed) : "r"(a[i]));
  unsigned* const to = result + i * kResults;
  to[0] = dot;
  to[1] = logic;
  to[2] = shifted;
  to[3] = bytes;
  to[4] =
      reversed + static_cast<unsigned>(__popc(b[i])) + static_cast<unsigned>(__ffs(static_cast<int>(a[i])));
}

void expected(unsigned a, unsigned b, int i, unsigned* to) {
  int dot = i;
  unsigned reversed = 0;
  for (int byte = 0; byte < 4; ++byte)
    dot += static_cast<signed char>(a >> 8 * byte) * static_cast<signed char>(b >> 8 * byte);
  for (int bit = 0; bit < 32; ++bit) reversed |= (a >> bit & 1) << (31 - bit);
  const unsigned c = i * 77;
  to[0] = static_cast<unsigned>(dot);
  to[1] = (a & b) | (a & c) | (b & c);
  to[2] = i % 32 == 0 ? b : b << i % 32 | a >> (32 - i % 32);
  to[3] = (a >> 8 & 255) | (b >> 24 & 255) << 8 | (a & 255) << 16 | (b & 255) << 24;
  to[4] = reversed + __builtin_popcount(b) + __builtin_ffs(static_cast<int>(a));
}

int main() {
  unsigned a[kCount], b[kCount], result[kCount * kResults], *device_a, *device_b, *device_result;
  for (unsigned i = 0; i < kCount; ++i) {
    a[i] = i * 2654435761u;
    b[i] = (i + 99) * 2246822519u;
  }
  cudaMalloc(&device_a, sizeof a);
  cudaMalloc(&device_b, sizeof b);
  cudaMalloc(&device_result, sizeof result);
  cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice);
  compute<<<2, kCount / 2>>>(device_a, device_b, device_result);
  cudaMemcpy(result, device_result, sizeof result, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kCount; ++i) {
    unsigned to[kResults];
    expected(a[i], b[i], i, to);
    for (int k = 0; k < kResults; ++k) right = right && result[i * kResults + k] == to[k];
  }
  std::printf("integer_instructions: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
