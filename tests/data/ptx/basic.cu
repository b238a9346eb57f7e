#include "device.h"

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = CTAID_X * NTID_X + TID_X;
  if (i < n) c[i] = a[i] + b[i];
}

constexpr int kTile = 16;

extern "C" __global__ void __launch_bounds__(256, 2)
    matrix_multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  int row = CTAID_Y * kTile + TID_Y;
  int column = CTAID_X * kTile + TID_X;
  float sum = 0;
  for (int tile = 0; tile < n / kTile; ++tile) {
    a_tile[TID_Y][TID_X] = a[row * n + tile * kTile + TID_X];
    b_tile[TID_Y][TID_X] = b[(tile * kTile + TID_Y) * n + column];
    BARRIER();
    for (int k = 0; k < kTile; ++k) sum += a_tile[TID_Y][k] * b_tile[k][TID_X];
    BARRIER();
  }
  c[row * n + column] = sum;
}

extern __shared__ int dynamic[];

extern "C" __global__ void reduce(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = CTAID_X * NTID_X + TID_X; i < n; i += NTID_X * 64) sum += in[i];
  for (int delta = 16; delta > 0; delta /= 2) sum += SHUFFLE_DOWN(sum, delta);
  if ((TID_X & 31) == 0) dynamic[TID_X / 32] = sum;
  BARRIER();
  if (TID_X == 0) {
    for (int warp = 1; warp < int(NTID_X / 32); ++warp) sum += dynamic[warp];
    atomicAdd(out, sum);
  }
}

extern "C" __global__ void histogram(const unsigned char* in, int* bins, int n) {
  __shared__ int local_bins[256];
  for (int i = TID_X; i < 256; i += NTID_X) local_bins[i] = 0;
  BARRIER();
  for (int i = TID_X; i < n; i += NTID_X) atomicAdd(&local_bins[in[i]], 1);
  BARRIER();
  for (int i = TID_X; i < 256; i += NTID_X) {
    if (local_bins[i] == 0) continue;
    atomicAdd(&bins[i], local_bins[i]);
    atomicMax(&bins[256], local_bins[i]);
  }
  if (BALLOT(n > 1000) != 0) FENCE();
  while (atomicCAS(&bins[257], 0, 1) != 0) {
  }
}
