#pragma once
// The SMs that each kernel has to itself during a profile, and the number of its blocks on each of them
// (Warped-Slicer, Section IV-A, Figure 4).
//
//   - The SMs are divided equally into contiguous groups, in the order of the kernels, and the first groups
//     get the SMs that remain. If there are more kernels than SMs, the kernels take turns: each turn has as
//     many kernels as there are SMs, and the SMs are divided equally in the last turn as well.
//   - In a group, successive SMs hold 1, 2, 3, ... blocks, up to the kernel's residency. With more SMs than
//     numbers of blocks, the numbers start over. With fewer SMs, several phases follow each other. In each
//     phase an SM goes on to a higher number that no SM of the group has had, so that blocks are only added.
//     An SM for which no number is left holds as many blocks as fit.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace heddle {

struct SmGroup {
  std::size_t first = 0;  // the number of its first SM
  std::size_t count = 0;  // its SMs
  bool has(std::size_t sm) const { return sm >= first && sm - first < count; }
};

class ProfileLayout {
 public:
  ProfileLayout() = default;
  ProfileLayout(std::size_t kernels, std::size_t sms)
      : kernels_(kernels), sms_(sms) {}  // with at least one SM

  std::size_t turns() const { return (kernels_ + sms_ - 1) / sms_; }
  std::size_t turn(std::size_t kernel) const { return kernel / sms_; }
  SmGroup group(std::size_t kernel) const {  // the group of the kernel in its turn
    const std::size_t sharing = std::min(sms_, kernels_ - turn(kernel) * sms_);
    const std::size_t index = kernel % sms_;
    const std::size_t more = sms_ % sharing;
    return {index * (sms_ / sharing) + std::min(index, more), sms_ / sharing + (index < more ? 1 : 0)};
  }

 private:
  std::size_t kernels_ = 0;
  std::size_t sms_ = 1;
};

// The number of phases that a kernel of this residency needs in a group of `sms` SMs.
inline std::size_t profile_phases(std::uint32_t residency, std::size_t sms) {
  return (residency + sms - 1) / sms;
}

// Returns the number of blocks on SM `index` of the group, from 1 to the residency.
inline std::uint32_t profile_blocks(std::uint32_t residency, std::size_t sms, std::size_t index,
                                    std::size_t phase) {
  const std::size_t count = residency <= sms ? index % residency + 1 : phase * sms + index + 1;
  return static_cast<std::uint32_t>(std::min<std::size_t>(count, residency));
}

}  // namespace heddle
