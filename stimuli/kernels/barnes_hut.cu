// This kernel computes the forces among bodies with the algorithm of Barnes and Hut. The host builds the
// tree.
//
// bodies: float4[n], position and mass. centers: float4[cells], centre of mass and mass of each cell. widths:
// float[cells], side of each cell. children: int[cells][8], -1 for none, i < n for body i, n + j for cell j;
// cell 0 is the root. accelerations: float4[n], written; w is 0. A cell is treated as one body if its width
// is less than `opening` times its distance. `softening`, which is above 0, is added to squared distances.
// The gravitational constant is 1. A tree is at most 32 cells deep.
//
// Block: 128 x 1 x 1. Grid: ceil(n / 128). Deterministic.
//
// Host sequence: barnes_hut_force once.
//
// Source: Barnes and Hut, A Hierarchical O(N log N) Force-calculation Algorithm, Nature, 1986.
#include "cuda.h"

constexpr unsigned kMostPending = 32 * 7 + 1;

HEDDLE_KERNEL barnes_hut_force(const float4* bodies, const float4* centers, const float* widths,
                               const int* children, float4* accelerations, unsigned n, float opening,
                               float softening) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body >= n) return;
  const float4 own = bodies[body];
  float4 sum = {0, 0, 0, 0};
  int pending[kMostPending];
  unsigned count = 0;
  pending[count++] = static_cast<int>(n);
  while (count > 0) {
    const int node = pending[--count];
    const bool is_cell = node >= static_cast<int>(n);
    const int cell = node - static_cast<int>(n);
    const float4 mass = is_cell ? centers[cell] : bodies[node];
    const float dx = mass.x - own.x;
    const float dy = mass.y - own.y;
    const float dz = mass.z - own.z;
    const float squared = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
    if (is_cell && widths[cell] * widths[cell] >= opening * opening * squared) {
      for (unsigned i = 0; i < 8; ++i) {
        const int child = children[8 * cell + i];
        if (child >= 0) pending[count++] = child;
      }
    } else {
      const float inverse = rsqrt_approx(squared + softening);
      const float pull = mass.w * inverse * inverse * inverse;
      sum.x = fmaf(pull, dx, sum.x);
      sum.y = fmaf(pull, dy, sum.y);
      sum.z = fmaf(pull, dz, sum.z);
    }
  }
  accelerations[body] = sum;
}
