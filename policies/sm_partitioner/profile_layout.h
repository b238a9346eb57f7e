#pragma once
// Which SMs a kernel has to itself, and how many of its blocks each of them holds while kernels are profiled
// (Warped-Slicer, Section IV-A, Figure 4).
//
//   - The SMs are divided equally into contiguous groups, in the kernels' order; the first ones get what does
//     not divide. Where there are more kernels than SMs they take turns: as many as there are SMs, then the
//     next ones, the last turn divided equally as well.
//   - In a group successive SMs hold 1, 2, 3, ... blocks, up to the kernel's residency. With fewer
//     counts than SMs the counts start over. With more, phases follow each other: each SM goes on to the next
//     higher count that no SM of the group has had, so that blocks are only added; those without one hold as
//     many as fit.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace heddle {

struct SmGroup {
  std::size_t first = 0;  // SM
  std::size_t count = 0;  // SMs
  bool has(std::size_t sm) const { return sm >= first && sm - first < count; }
};

class ProfileLayout {
 public:
  ProfileLayout() = default;
  ProfileLayout(std::size_t kernels, std::size_t sms) : kernels_(kernels), sms_(sms) {}  // one SM or more

  std::size_t turns() const { return (kernels_ + sms_ - 1) / sms_; }
  std::size_t turn(std::size_t kernel) const { return kernel / sms_; }
  SmGroup group(std::size_t kernel) const {  // in its turn
    const std::size_t sharing = std::min(sms_, kernels_ - turn(kernel) * sms_);
    const std::size_t index = kernel % sms_;
    const std::size_t more = sms_ % sharing;
    return {index * (sms_ / sharing) + std::min(index, more), sms_ / sharing + (index < more ? 1 : 0)};
  }

 private:
  std::size_t kernels_ = 0;
  std::size_t sms_ = 1;
};

// Phases that a kernel of this residency needs in a group of `sms` SMs.
inline std::size_t profile_phases(std::uint32_t residency, std::size_t sms) {
  return (residency + sms - 1) / sms;
}

// Blocks on SM `index` of the group, 1 to the residency.
inline std::uint32_t profile_blocks(std::uint32_t residency, std::size_t sms, std::size_t index,
                                    std::size_t phase) {
  const std::size_t count = residency <= sms ? index % residency + 1 : phase * sms + index + 1;
  return static_cast<std::uint32_t>(std::min<std::size_t>(count, residency));
}

}  // namespace heddle
