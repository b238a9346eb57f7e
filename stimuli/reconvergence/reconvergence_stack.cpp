#include "stimuli/reconvergence/reconvergence_stack.h"

#include "models/core/base/check.h"

namespace heddle {

void ReconvergenceStack::reset(std::uint32_t pc, std::uint32_t mask) {
  depth_ = 0;
  if (mask != 0) push({pc, kNowhere, mask});
}

void ReconvergenceStack::branch(std::uint32_t taken_mask, std::uint32_t target_pc,
                                std::uint32_t fall_through_pc, std::uint32_t reconvergence_pc) {
  Entry& top = entries_[depth_ - 1];
  const std::uint32_t taken = top.mask & taken_mask;
  const std::uint32_t others = top.mask & ~taken_mask;
  if (taken == 0) return advance(fall_through_pc);
  if (others == 0 || target_pc == fall_through_pc) return advance(target_pc);
  // The lanes wait in this entry, unless the entry below already waits at the reconvergence point.
  if (reconvergence_pc != kNowhere && reconvergence_pc != top.reconvergence)
    top.pc = reconvergence_pc;
  else
    --depth_;
  if (target_pc != reconvergence_pc) push({target_pc, reconvergence_pc, taken});
  if (fall_through_pc != reconvergence_pc) push({fall_through_pc, reconvergence_pc, others});
  reconverge();
}

void ReconvergenceStack::exit(std::uint32_t mask) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < depth_; ++i) {
    Entry entry = entries_[i];
    entry.mask &= ~mask;
    if (entry.mask != 0) entries_[kept++] = entry;
  }
  depth_ = kept;
  if (depth_ > 1) reconverge();
}

std::uint32_t ReconvergenceStack::lanes() const {
  std::uint32_t lanes = 0;
  for (std::uint32_t i = 0; i < depth_; ++i) lanes |= entries_[i].mask;
  return lanes;
}

void ReconvergenceStack::append_state(std::vector<std::byte>& to) const {
  const auto* const depth = reinterpret_cast<const std::byte*>(&depth_);      // NOLINT
  const auto* const entries = reinterpret_cast<const std::byte*>(&entries_);  // NOLINT: words without padding
  to.insert(to.end(), depth, depth + sizeof depth_);
  to.insert(to.end(), entries, entries + depth_ * sizeof(Entry));
}

void ReconvergenceStack::push(const Entry& entry) {
  HEDDLE_CHECK(depth_ < kMostEntries, "reconvergence stack", Cycle{}, "{} entries", kMostEntries);
  entries_[depth_++] = entry;
}

void ReconvergenceStack::reconverge() {
  while (depth_ > 1) {
    const Entry& top = entries_[depth_ - 1];
    Entry& below = entries_[depth_ - 2];
    if (top.pc == top.reconvergence) {
      --depth_;
    } else if (top.pc == below.pc && top.reconvergence == below.reconvergence) {
      below.mask |= top.mask;
      --depth_;
    } else {
      return;
    }
  }
}

}  // namespace heddle
