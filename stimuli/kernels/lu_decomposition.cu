// These kernels perform LU decomposition in place, without pivoting, in tiles of 16 x 16. A step computes the
// tile on the diagonal, then the tiles of its row and its column, then all tiles to the right and below.
//
// matrix: float[n][n], row by row; n is a multiple of 16. Afterwards it has U on and above the diagonal, and
// L, whose diagonal is 1, below it. first: row and column of the first element of the diagonal tile of the
// step.
//
// Block: 16 x 16 x 1. Grid, with r = (n - first) / 16 - 1 tiles after the diagonal one: lu_diagonal 1,
// lu_perimeter 2 * r (the tiles of the row, then those of the column), lu_internal r x r. Deterministic.
//
// Host sequence: for first = 0, 16, ... while first < n: lu_diagonal; if r > 0 also lu_perimeter,
// lu_internal.
//
// Source: Golub and Van Loan, Matrix Computations, section 3.2 (block LU).
#include "cuda.h"

constexpr unsigned kTile = 16;

HEDDLE_KERNEL lu_diagonal(float* matrix, unsigned n, unsigned first) {
  __shared__ float tile[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  float* const at = matrix + (first + y) * n + first + x;
  tile[y][x] = *at;
  __syncthreads();
  for (unsigned k = 0; k + 1 < kTile; ++k) {
    if (y > k && x == k) tile[y][k] /= tile[k][k];
    __syncthreads();
    if (y > k && x > k) tile[y][x] -= tile[y][k] * tile[k][x];
    __syncthreads();
  }
  *at = tile[y][x];
}

HEDDLE_KERNEL lu_perimeter(float* matrix, unsigned n, unsigned first) {
  __shared__ float diagonal[kTile][kTile];
  __shared__ float tile[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned behind = gridDim.x / 2;
  const bool of_row = blockIdx.x < behind;
  const unsigned distance = (1 + (of_row ? blockIdx.x : blockIdx.x - behind)) * kTile;
  float* const at = matrix + (first + y + (of_row ? 0 : distance)) * n + first + x + (of_row ? distance : 0);
  diagonal[y][x] = matrix[(first + y) * n + first + x];
  tile[y][x] = *at;
  __syncthreads();
  for (unsigned k = 0; k < kTile; ++k) {
    if (of_row) {
      if (y > k) tile[y][x] -= diagonal[y][k] * tile[k][x];
    } else {
      if (x == k) tile[y][k] /= diagonal[k][k];
      __syncthreads();
      if (x > k) tile[y][x] -= tile[y][k] * diagonal[k][x];
    }
    __syncthreads();
  }
  *at = tile[y][x];
}

HEDDLE_KERNEL lu_internal(float* matrix, unsigned n, unsigned first) {
  __shared__ float left[kTile][kTile];
  __shared__ float above[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned row = first + (blockIdx.y + 1) * kTile + y;
  const unsigned column = first + (blockIdx.x + 1) * kTile + x;
  left[y][x] = matrix[row * n + first + x];
  above[y][x] = matrix[(first + y) * n + column];
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k < kTile; ++k) sum = fmaf(left[y][k], above[k][x], sum);
  matrix[row * n + column] -= sum;
}
