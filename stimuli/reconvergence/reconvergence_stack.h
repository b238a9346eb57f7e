#pragma once
// The SIMT stack holds the paths on which the lanes of a warp run. Paths reconverge at the immediate
// post-dominator of their branch (Fung et al., "Dynamic Warp Formation and Scheduling", MICRO 2007,
// section 3). The topmost entry runs, so the path that was pushed last runs first to its reconvergence point.
//
// The fall-through path of a divergent branch runs before the taken path. In a structured program fetch is
// therefore redirected only by an instruction that branches or exits.
//
// Lanes that reach the reconvergence point leave their entry and wait in the entry below. A branch that
// reconverges at its own entry's reconvergence point pushes no entry to wait in, and a path that starts at
// the reconvergence point pushes no entry to run. A loop that lanes leave one by one therefore stays at the
// same depth.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

// The depth and the lowest five entries share a line of the host's cache.
class alignas(64) ReconvergenceStack {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};  // the paths do not reconverge
  // Each level of nesting separates at least one lane from the others and takes at most two entries.
  static constexpr std::size_t kMostEntries = 2 * kLanes + 1;

  // The lanes of `mask` start at `pc`. The stack is done when there are none.
  void reset(std::uint32_t pc, std::uint32_t mask);

  bool done() const { return depth_ == 0; }
  std::size_t depth() const { return depth_; }
  // These three describe the running path. The stack is not done.
  std::uint32_t pc() const { return entries_[depth_ - 1].pc; }
  std::uint32_t mask() const { return entries_[depth_ - 1].mask; }
  std::uint32_t reconvergence() const { return entries_[depth_ - 1].reconvergence; }

  // The running lanes continue at `next_pc`.
  void advance(std::uint32_t next_pc) {
    Entry& top = entries_[depth_ - 1];
    top.pc = next_pc;
    if (depth_ > 1) reconverge();
  }

  // The running lanes of `taken_mask` continue at `target_pc` and the others at `fall_through_pc`. They
  // reconverge at `reconvergence_pc`, which is the branch's immediate post-dominator or kNowhere.
  void branch(std::uint32_t taken_mask, std::uint32_t target_pc, std::uint32_t fall_through_pc,
              std::uint32_t reconvergence_pc);

  // The lanes of `mask` have ended. Lanes that remain on the running path stay at pc().
  void exit(std::uint32_t mask);

  std::uint32_t lanes() const;  // of all paths, which have not ended
  // Appends bytes that are the same for two stacks in the same state, and for no others.
  void append_state(std::vector<std::byte>& to) const;

 private:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t reconvergence = kNowhere;
    std::uint32_t mask = 0;
  };

  void push(const Entry& entry);
  // Pops entries that have reached their reconvergence point, and merges the two topmost entries when both
  // run at the same place.
  void reconverge();

  std::uint32_t depth_ = 0;
  std::array<Entry, kMostEntries> entries_;
};

}  // namespace heddle
