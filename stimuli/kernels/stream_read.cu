// This kernel reads vectors of four numbers and adds them up. Each block reads `each` vectors that lie side
// by side, the first block from vector 0 on; behind the last vector comes the first one again. A thread has
// four loads in flight.
//
// values: float4[n]; sums: float[number of threads], written. n and `each` are multiples of 4096.
//
// Block: 1024 x 1 x 1, or half, a quarter, ... of it. Grid: any. Deterministic.
//
// Host sequence: stream_read once; a second time where the caches shall have the values.
//
// Source: McCalpin, Memory Bandwidth and Machine Balance in Current High Performance Computers, 1995.
#include "cuda.h"

HEDDLE_DEVICE float sum_of(const float4& value) {
  return (value.x + value.y) + (value.z + value.w);
}

HEDDLE_KERNEL stream_read(const float4* values, float* sums, unsigned n, unsigned each) {
  const unsigned threads = blockDim.x;
  unsigned at = static_cast<unsigned>(static_cast<uint64>(blockIdx.x) * each % n) + threadIdx.x;
  float sum = 0;
  for (unsigned done = 0; done < each; done += 4 * threads) {
    const float4 first = values[at];
    const float4 second = values[at + threads];
    const float4 third = values[at + 2 * threads];
    const float4 fourth = values[at + 3 * threads];
    sum += (sum_of(first) + sum_of(second)) + (sum_of(third) + sum_of(fourth));
    at += 4 * threads;
    if (at >= n) at -= n;
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}
