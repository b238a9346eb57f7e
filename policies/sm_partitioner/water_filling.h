#pragma once
// How many blocks of each of several kernels an SM shall hold (Warped-Slicer, Section IV, Equation 1 and
// Algorithm 1): the numbers that maximise the smallest normalised performance. Kernels start with one block
// each; the one that does worst is raised to its next better number of blocks, again and again.
//
// Where the algorithm as printed cannot be meant, this is how it is read:
//   - Lines 27-31: Full(S) stands in the `else` of line 27. As printed a kernel that was just raised could
//     never be raised again.
//   - Full() starts as false for all. A kernel on the last entry of Q, its best performance, is full as well:
//     line 25 would read beyond it.
//   - Lines 7-13: Q and M are filled from 0 on and g starts at 1; g starts at the first entry, for one block.
//     That entry is there whatever its performance, 0 included.
//   - Line 16: R_L >= 0 can fail only before the first step, when one block of each does not fit: then there
//     is no result. Resources left are all that an SM has, each on its own.
//   - Equal performance: the kernel that comes first.
// Q and M need no memory: the next entry is the next number of blocks with a performance above the present
// one. A scan for the worst kernel per step makes it O(K^2 N) for K kernels of N blocks; the paper's O(KN)
// leaves that scan out.

#include <cstdint>
#include <vector>

#include "models/core/kernel/kernel.h"

namespace heddle {

struct SharingKernel {
  // With 1, 2, ... blocks on the SM, as a fraction of the best of them; at least one entry, none negative.
  // It has no more blocks than entries. Curves may fall, or stay as they are for a while.
  std::vector<double> performance;
  BlockResources block;  // what one block holds
};

// Blocks by kernel, one or more each, that fit the SM together; empty if one block of each does not.
std::vector<std::uint32_t> water_fill(const std::vector<SharingKernel>& kernels, const SmLimits& limits);

}  // namespace heddle
