#pragma once
// Which lanes of a warp run where: the stack of immediate-post-dominator reconvergence (Fung et al., "Dynamic
// Warp Formation and Scheduling", MICRO 2007, section 3). The topmost entry runs, so the path pushed last,
// the deepest, runs first to its reconvergence point.
//
// Of a branch whose lanes part, the fall-through path runs first: the machine changes its straight line only
// where an instruction branches or exits, never between two others of a structured program.
//
// Lanes that reach the reconvergence point leave their entry and wait in the one below. A branch that
// reconverges where its own entry does adds no entry to wait in, and a path that starts at the reconvergence
// point adds none to run: a loop that lanes leave one by one stays at the same depth.

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/core/kernel/instruction.h"

namespace heddle {

// Depth and the lowest five entries share a line of the host's cache.
class alignas(64) ReconvergenceStack {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};  // paths that meet only by ending
  // Each level of nesting parts at least one lane from the rest and takes at most two entries.
  static constexpr std::size_t kMostEntries = 2 * kLanes + 1;

  void reset(std::uint32_t pc, std::uint32_t mask);  // the lanes of `mask` start at `pc`; none: done

  bool done() const { return depth_ == 0; }
  std::size_t depth() const { return depth_; }
  // Of what runs next. Not when done.
  std::uint32_t pc() const { return entries_[depth_ - 1].pc; }
  std::uint32_t mask() const { return entries_[depth_ - 1].mask; }
  std::uint32_t reconvergence() const { return entries_[depth_ - 1].reconvergence; }

  // The running lanes go on at `next_pc`.
  void advance(std::uint32_t next_pc) {
    Entry& top = entries_[depth_ - 1];
    top.pc = next_pc;
    if (depth_ > 1) settle();
  }

  // Of the running lanes those of `taken_mask` go to `target_pc`, the others to `fall_through_pc`; they meet
  // again at `reconvergence_pc`, the branch's immediate post-dominator, or kNowhere.
  void branch(std::uint32_t taken_mask, std::uint32_t target_pc, std::uint32_t fall_through_pc,
              std::uint32_t reconvergence_pc);

  // The lanes of `mask`, all of them running, have ended. Those left go on at pc().
  void exit(std::uint32_t mask);

 private:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t reconvergence = kNowhere;
    std::uint32_t mask = 0;
  };

  void push(const Entry& entry);
  void settle();  // pops what has reached its reconvergence point; merges the two topmost where they meet

  std::uint32_t depth_ = 0;
  std::array<Entry, kMostEntries> entries_;
};

}  // namespace heddle
