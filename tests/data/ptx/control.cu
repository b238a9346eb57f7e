#include "device.h"

struct Body {
  double position[3];
  float mass;
  char kind;
};

__constant__ float factors[4] = {1.5f, -2.0f, 0.25f, 8.0f};
__device__ int counter = -3;
__device__ int* counter_address = &counter;

__device__ __noinline__ double pull(Body body, double x) {
  double distance = body.position[0] - x;
  return body.mass / (distance * distance + 1.0);
}

__device__ __noinline__ int classify(int value, int depth) {
  if (depth == 0) return value;
  switch (value & 7) {
    case 0: return classify(value / 3, depth - 1);
    case 1: return value * 5;
    case 2: return value - 9;
    case 3: return value ^ 0x55;
    case 5: return value % 7;
    default: return -value;
  }
}

extern "C" __global__ void forces(Body body, const double* x, double* out, int n) {
  for (int i = TID_X; i < n; i += NTID_X) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      if (x[i] < k) break;
      if (body.kind == 'f') continue;
      sum += pull(body, x[i] + k) * factors[k & 3];
    }
    out[i] = sum;
  }
}

extern "C" __global__ void classes(const int* in, int* out, int n) {
  int i = TID_X;
  if (i >= n) return;
  int value = in[i];
  out[i] = classify(value, 3) + *counter_address;
  unsigned long long wide = (unsigned long long)value * (unsigned)n;
  out[n + i] = int(wide >> 32) + __builtin_popcount(value) + (value < 0 ? value >> 3 : value << 2);
}

extern "C" __global__ void spill(int* out, int n) {
  int table[32];
  for (int i = 0; i < 32; ++i) table[i] = out[i] * n;
  for (int i = 0; i < n; ++i) table[table[i & 31] & 31] += i;
  out[TID_X] = table[n & 31];
}

#ifdef __NVCC__
#include <cstdio>
extern "C" __global__ void print(int n) { printf("%d of %f\n", n, 2.5); }
#else
extern "C" __global__ void print(int n) {
  struct {
    int n;
    double value;
  } values = {n, 2.5};
  vprintf("%d of %f\n", &values);
}
#endif
