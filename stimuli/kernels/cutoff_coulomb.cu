// This kernel computes the electrostatic potential of the atoms within a cutoff on a lattice. The atoms are
// sorted into cubic bins. A block visits the bins within the cutoff of its 8 x 8 x 2 lattice points and loads
// their atoms into shared memory in batches.
//
// atoms: float4[...], position and charge, bin by bin. bin_offsets: unsigned[bins + 1], index of the first
// atom of each bin. Bin (i, j, k) has the number (k * bins_y + j) * bins_x + i; its lowest corner is at
// bin_width * (i, j, k). potential: float[depth][height][width], written: the sum of charge / r * (1 - r^2 /
// cutoff^2)^2. The point (x, y, z) is at spacing * (x, y, z). No atom may be on a lattice point.
//
// Block: 8 x 8 x 2. Grid: ceil(width / 8) x ceil(height / 8) x ceil(depth / 2). Deterministic.
//
// Host sequence: cutoff_coulomb once.
//
// Source: Hardy, Stone and Schulten, Multilevel Summation of Electrostatic Potentials Using Graphics
// Processing Units, Parallel Computing, 2009 (the short-range part, with CHARMM's smoothing).
#include "cuda.h"

constexpr unsigned kBatch = 128;

struct Range {  // bins from first to last - 1
  int first;
  int last;
};

HEDDLE_DEVICE int clamp(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

HEDDLE_DEVICE Range reach(unsigned first_point, unsigned points, float spacing, float cutoff, float bin_width,
                          int bins) {
  const float low = static_cast<float>(first_point) * spacing - cutoff;
  const float high = static_cast<float>(first_point + points - 1) * spacing + cutoff;
  // One more bin on either side compensates the rounding of the division.
  return {clamp(static_cast<int>(low / bin_width) - 1, 0, bins),
          clamp(static_cast<int>(high / bin_width) + 2, 0, bins)};
}

HEDDLE_KERNEL cutoff_coulomb(const float4* atoms, const unsigned* bin_offsets, float* potential,
                             unsigned width, unsigned height, unsigned depth, float spacing, float cutoff,
                             float bin_width, int bins_x, int bins_y, int bins_z) {
  __shared__ float4 batch[kBatch];
  const unsigned thread = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  const unsigned x = blockIdx.x * 8 + threadIdx.x;
  const unsigned y = blockIdx.y * 8 + threadIdx.y;
  const unsigned z = blockIdx.z * 2 + threadIdx.z;
  const Range in_x = reach(blockIdx.x * 8, 8, spacing, cutoff, bin_width, bins_x);
  const Range in_y = reach(blockIdx.y * 8, 8, spacing, cutoff, bin_width, bins_y);
  const Range in_z = reach(blockIdx.z * 2, 2, spacing, cutoff, bin_width, bins_z);
  const float squared_cutoff = cutoff * cutoff;
  float sum = 0;
  for (int k = in_z.first; k < in_z.last; ++k)
    for (int j = in_y.first; j < in_y.last; ++j) {
      if (in_x.first >= in_x.last) continue;
      // The bins of a row are contiguous.
      const int row = (k * bins_y + j) * bins_x;
      const unsigned last = bin_offsets[row + in_x.last];
      for (unsigned first = bin_offsets[row + in_x.first]; first < last; first += kBatch) {
        __syncthreads();
        if (first + thread < last) batch[thread] = atoms[first + thread];
        __syncthreads();
        const unsigned count = last - first < kBatch ? last - first : kBatch;
        for (unsigned i = 0; i < count; ++i) {
          const float dx = batch[i].x - static_cast<float>(x) * spacing;
          const float dy = batch[i].y - static_cast<float>(y) * spacing;
          const float dz = batch[i].z - static_cast<float>(z) * spacing;
          const float squared = dx * dx + dy * dy + dz * dz;
          if (squared >= squared_cutoff) continue;
          const float smoothing = 1 - squared / squared_cutoff;
          sum += batch[i].w * rsqrt_approx(squared) * smoothing * smoothing;
        }
      }
    }
  if (x < width && y < height && z < depth) potential[(z * height + y) * width + x] = sum;
}
