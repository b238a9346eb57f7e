#pragma once
// The number of blocks of each of several kernels on an SM (Warped-Slicer, Section IV, Equation 1 and
// Algorithm 1). The numbers maximise the smallest normalised performance. Each kernel starts with one block.
// In each step the kernel with the smallest performance gets the next larger number of blocks with a better
// performance.
//
// The algorithm has errors as it is printed. It is read as follows:
//   - Lines 27-31: Full(S) stands in the `else` of line 27. As printed, a kernel that got more blocks once
//     could never get more again.
//   - Full() is false for all kernels at first. A kernel at the last entry of Q, its best performance, is
//     full as well, because line 25 would read beyond that entry.
//   - Lines 7-13: Q and M are filled from index 0, but g starts at 1. Here g starts at the first entry, which
//     is for one block. That entry exists even if its performance is 0.
//   - Line 16: R_L >= 0 fails only before the first step, if one block of each kernel does not fit. There is
//     no result then. R_L stands for all resources of an SM, and each must suffice.
//   - Of kernels with equal performance, the first one gets more blocks.
// Q and M are not stored: the next entry is the next larger number of blocks with a better performance. Each
// step scans for the kernel with the smallest performance, so the time is O(K^2 N) for K kernels of N blocks.
// The paper's O(KN) does not count that scan.

#include <cstdint>
#include <vector>

#include "models/core/kernel/kernel.h"

namespace heddle {

struct SharingKernel {
  // The performance with 1, 2, ... blocks on the SM, as a fraction of the best. There is at least one entry,
  // and none is negative. The kernel has no more blocks than entries. A curve may fall or be flat in parts.
  std::vector<double> performance;
  BlockResources block;  // the resources of one block
};

// Returns the number of blocks of each kernel, at least 1. All of them fit the SM together. The result is
// empty if one block of each kernel does not fit.
std::vector<std::uint32_t> water_fill(const std::vector<SharingKernel>& kernels, const SmLimits& limits);

// What executes the algorithm for a policy: this class by water_fill(), a class derived from it otherwise.
class WaterFillingUnit {
 public:
  virtual ~WaterFillingUnit() = default;
  // `now` is the core cycle.
  virtual std::vector<std::uint32_t> fill(const std::vector<SharingKernel>& kernels, const SmLimits& limits,
                                          Cycle now);
  virtual void reset() {}
};

}  // namespace heddle
