// These kernels compute the diagonal tile, and the tiles of its row and its column, of an LU decomposition in
// place in tiles of 16 x 16, as Rodinia's lud does: a thread computes a row and a column of the diagonal
// tile, or one row or column of another tile. lu_internal of lu_decomposition.cu computes the tiles behind
// them.
//
// matrix: float[n][n], row by row; n is a multiple of 16. Afterwards it has U on and above the diagonal, and
// L, whose diagonal is 1, below it. first: row and column of the first element of the diagonal tile of the
// step.
//
// Block: lud_diagonal 16 x 1 x 1, lud_perimeter 32 x 1 x 1. Grid, with r = (n - first) / 16 - 1 tiles after
// the diagonal one: lud_diagonal 1, lud_perimeter r. Deterministic.
//
// Host sequence: for first = 0, 16, ... while first < n: lud_diagonal; if r > 0 also lud_perimeter and
// lu_internal.
//
// Source: Golub and Van Loan, Matrix Computations, section 3.2 (block LU); lud of Rodinia (the work of a
// thread).
#include "cuda.h"

constexpr int kTile = 16;

HEDDLE_KERNEL lud_diagonal(float* matrix, int n, int first) {
  __shared__ float tile[kTile][kTile];
  const int x = static_cast<int>(threadIdx.x);
  float* const corner = matrix + first * n + first + x;
  for (int row = 0; row < kTile; ++row) tile[row][x] = corner[row * n];
  __syncthreads();
  for (int k = 0; k < kTile - 1; ++k) {
    if (x > k) {
      for (int j = 0; j < k; ++j) tile[x][k] -= tile[x][j] * tile[j][k];
      tile[x][k] /= tile[k][k];
    }
    __syncthreads();
    if (x > k)
      for (int j = 0; j <= k; ++j) tile[k + 1][x] -= tile[k + 1][j] * tile[j][x];
    __syncthreads();
  }
  for (int row = 1; row < kTile; ++row) corner[row * n] = tile[row][x];
}

// Copies rows of a tile to shared memory, a thread for each column.
HEDDLE_DEVICE void copy_rows(const float* from, int n, float (*to)[kTile], int begin, int end, int x) {
  for (int row = begin; row < end; ++row) to[row][x] = from[row * n + x];
}

HEDDLE_KERNEL lud_perimeter(float* matrix, int n, int first) {
  __shared__ float diagonal[kTile][kTile];
  __shared__ float of_row[kTile][kTile];
  __shared__ float of_column[kTile][kTile];
  float* const corner = matrix + first * n + first;
  const int distance = (static_cast<int>(blockIdx.x) + 1) * kTile;
  const bool has_row = threadIdx.x < kTile;
  const int x = static_cast<int>(threadIdx.x) - (has_row ? 0 : kTile);
  if (has_row) {
    copy_rows(corner, n, diagonal, 0, kTile / 2, x);
    copy_rows(corner + distance, n, of_row, 0, kTile, x);
  } else {
    copy_rows(corner, n, diagonal, kTile / 2, kTile, x);
    copy_rows(corner + distance * n, n, of_column, 0, kTile, x);
  }
  __syncthreads();
  if (has_row) {
    for (int i = 1; i < kTile; ++i)
      for (int j = 0; j < i; ++j) of_row[i][x] -= diagonal[i][j] * of_row[j][x];
  } else {
    for (int i = 0; i < kTile; ++i) {
      for (int j = 0; j < i; ++j) of_column[x][i] -= of_column[x][j] * diagonal[j][i];
      of_column[x][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (has_row) {
    for (int row = 1; row < kTile; ++row) corner[row * n + distance + x] = of_row[row][x];
  } else {
    for (int row = 0; row < kTile; ++row) corner[(distance + row) * n + x] = of_column[row][x];
  }
}
