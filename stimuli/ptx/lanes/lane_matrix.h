#pragma once
// Products of matrices whose fragments lie in the registers of a warp: mma and wmma.mma.
//
// An element of d is c plus the products of its row and its column, which are added one by one for k = 0, 1,
// and so on. Products are exact. Each sum of f16, bf16 and tf32 is rounded to f32 to nearest even, and a
// result of f16 is rounded once more at the end; each sum of f64 is one fma. Sums of integers are exact at
// first; the result wraps around, or is clamped with .satfinite. tf32 reads the upper 19 bits of a register.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/lanes/matrix_fragment.h"

namespace heddle::ptx {

// The places of a fragment's elements, which do not change between executions.
struct FragmentTable {
  FragmentInfo info;
  std::vector<std::uint16_t> places;  // by lane and element: row * columns + column
};
FragmentTable fragment_table(const Statement& statement, Fragment fragment);

// The rows of the registers of the four fragments; a row has 32 lanes of 32 or 64 bits.
struct ProductRows {
  void* const* d = nullptr;
  const void* const* a = nullptr;
  const void* const* b = nullptr;
  const void* const* c = nullptr;
};
struct ProductTables {
  FragmentTable a, b, c, d;
};
void multiply_matrices(const Statement& statement, const ProductTables& tables, const ProductRows& rows);

}  // namespace heddle::ptx
