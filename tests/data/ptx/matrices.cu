#include "device.h"

extern "C" __global__ void half_product(const int* a, const float* c, float* d) {
  __shared__ int tile[256];
  int a_fragment[8], b_fragment[8];
  float c_fragment[8], d_fragment[8];
  __hmma_m16n16k16_ld_a(a_fragment, a, 16, 0);
  __hmma_m16n16k16_ld_b(b_fragment, tile, 16, 1);
  __hmma_m16n16k16_ld_c_f32(c_fragment, c, 16, 0);
  __hmma_m16n16k16_mma_f32f32(d_fragment, a_fragment, b_fragment, c_fragment, 1, 0);
  __hmma_m16n16k16_st_c_f32(d, d_fragment, 16, 1);
}

extern "C" __global__ void byte_product(const int* a, int* d) {
  int a_fragment[2], b_fragment[2];
  int c_fragment[8], d_fragment[8];
  __imma_m16n16k16_ld_a_s8(a_fragment, a, 16, 0);
  __imma_m16n16k16_ld_b_s8(b_fragment, a, 16, 1);
  __imma_m16n16k16_ld_c(c_fragment, d, 16, 0);
  __imma_m16n16k16_mma_s8(d_fragment, a_fragment, b_fragment, c_fragment, 1, 1);
  __imma_m16n16k16_st_c_i32(d, d_fragment, 16, 0);
}
