// Lanes of a warp decide together: votes, lanes with the same value, a reduction by redux.sync, and one
// atomic for all lanes with the same key.

#include <cuda_runtime.h>

#include <cstdio>

constexpr int kKeys = 7, kThreads = 96;

__global__ void vote(const unsigned* keys, int* counts, int* sums, int* flags) {
  const int i = static_cast<int>(threadIdx.x), lane = i % 32;
  const unsigned key = keys[i];
  const unsigned same = __match_any_sync(kAllLanes, key);
  if (__ffs(static_cast<int>(same)) - 1 == lane) atomicAdd(&counts[key], __popc(same));
  int sum;
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(static_cast<int>(key) - 3));
  const int all = __all_sync(kAllLanes, key < kKeys), any = __any_sync(kAllLanes, i == 40);
  if (lane == 0) {
    sums[i / 32] = sum;
    flags[i / 32] = 2 * all + any;
  }
}

int main() {
  unsigned keys[kThreads], *device_keys;
  int results[kKeys + 6] = {}, expected[kKeys + 6] = {}, *device;
  for (int i = 0; i < kThreads; ++i) {
    keys[i] = static_cast<unsigned>(i * i / 5 % kKeys);
    ++expected[keys[i]];
    expected[kKeys + i / 32] += static_cast<int>(keys[i]) - 3;
    expected[kKeys + 3 + i / 32] = i / 32 == 1 ? 3 : 2;
  }
  cudaMalloc(&device_keys, sizeof keys);
  cudaMalloc(&device, sizeof results);
  cudaMemcpy(device_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
  cudaMemset(device, 0, sizeof results);
  vote<<<1, kThreads>>>(device_keys, device, device + kKeys, device + kKeys + 3);
  cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kKeys + 6; ++i) right = right && results[i] == expected[i];
  std::printf("votes_of_a_warp: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
