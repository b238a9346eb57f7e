#pragma once
// This file has what the kernels of the PolyBench programs share. A thread computes one element of a matrix
// or of a vector, which stays in memory at each step. Matrices are stored row by row; sizes and indices are
// of type int.
//
// Source: Pouchet, PolyBench/C (the computations); Grauer-Gray et al., Auto-tuning a High-level Language
// Targeted to GPU Codes, InPar 2012 (PolyBench/GPU: the element of each thread, the kernels of a program).
#include "cuda.h"

HEDDLE_DEVICE int thread_x() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

HEDDLE_DEVICE int thread_y() {
  return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
}

// Adds a b to c, where a is of rows x inner elements and b of inner x columns.
HEDDLE_DEVICE void add_product(const float* a, const float* b, float* c, int rows, int columns, int inner) {
  const int j = thread_x();
  const int i = thread_y();
  if (i >= rows || j >= columns) return;
  for (int k = 0; k < inner; ++k) c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

// Adds the product of row i of a and the vector x to *y.
HEDDLE_DEVICE void add_row_product(const float* a, const float* x, float* y, int i, int columns) {
  for (int j = 0; j < columns; ++j) *y += a[i * columns + j] * x[j];
}

// Adds the product of column j of a and the vector x to *y.
HEDDLE_DEVICE void add_column_product(const float* a, const float* x, float* y, int j, int rows,
                                      int columns) {
  for (int i = 0; i < rows; ++i) *y += a[i * columns + j] * x[i];
}
