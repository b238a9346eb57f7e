#pragma once
// Computes what one warp contributes to a matrix product of its warpgroup. The order and the rounding of sums
// are those that lane_matrix.h states; numbers of the types e4m3 and e5m2 are added as those of f16 are.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/lanes/matrix_fragment.h"

namespace heddle::ptx {

// The bits of the elements of 16 x k, k x N and 16 x N, row by row.
struct GroupElements {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<std::uint32_t> d;
};

struct GroupScales {
  bool adds = true;        // to d; otherwise the sums begin with 0
  bool negates_a = false;  // so that the product is -a * b
  bool negates_b = false;
};

// Sets d to the product, or adds it to d.
void multiply_group(const Statement& statement, GroupScales scales, GroupElements& elements);

}  // namespace heddle::ptx
