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
//
// On GPUs since Volta a lane may wait for another lane of its warp, for example for a lock. The function
// yield() then lets the other paths of the warp run. Lanes that wait at the reconvergence point of the
// yielding path stop waiting for it, because threads that yield do not block a convergence barrier (Diamos et
// al., "Execution of divergent threads using a convergence barrier", US 2016/0019066). Every path runs again
// after a finite number of yields.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

// The depth and the lowest four entries share a line of the host's cache.
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

  // The running path lets another path of the warp run, if there is one that has not yielded yet. A path with
  // the same reconvergence point comes first. If there is none, lanes that wait to reconverge with the
  // running path continue without it, or a path further down in the stack runs.
  void yield();
  // The running lanes arrive at a warp barrier for the lanes in `mask`. They continue at `next_pc` when the
  // other lanes of `mask` whose paths have the same reconvergence point have arrived, ended or reconverged.
  void arrive(std::uint32_t mask, std::uint32_t next_pc);
  // The lanes in `mask` must execute the instruction at pc() together. Paths with such lanes and with the
  // same reconvergence point as the running path run first, and reconverge at pc().
  void meet(std::uint32_t mask);

  std::uint32_t lanes() const;  // of all paths, which have not ended
  // Calls visit(pc, lanes) for each path on which lanes run, or on which they wait to reconverge. Each lane
  // that has not ended is on one of the paths.
  template <class Visit>
  void visit_paths(const Visit& visit) const {
    std::uint32_t above = 0;
    for (std::uint32_t i = depth_; i-- > 0; above |= entries_[i].mask)
      if (const std::uint32_t lanes = entries_[i].mask & ~above; lanes != 0) visit(entries_[i].pc, lanes);
  }
  // Appends bytes that are the same for two stacks in the same state, and for no others.
  void append_state(std::vector<std::byte>& to) const;

 private:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t reconvergence = kNowhere;
    std::uint32_t mask = 0;
  };

  void push(const Entry& entry);
  // Returns the lowest of the consecutive entries below `end` that have this reconvergence point.
  std::uint32_t first_beside(std::uint32_t end, std::uint32_t reconvergence) const;
  std::uint32_t lanes_of(std::uint32_t first, std::uint32_t end) const;  // of these entries
  // Removes the entries without lanes, and those in which all lanes have one path above the entry.
  void remove_unneeded();
  // Moves the topmost entry below those from `place` on.
  void lower(std::uint32_t place);
  // Pops entries that have reached their reconvergence point, and merges the two topmost entries when both
  // run at the same place.
  void reconverge();

  std::uint32_t depth_ = 0;
  std::uint32_t yielded_ = 0;  // lanes that have yielded since all other lanes ran
  std::uint32_t arrived_ = 0;  // lanes that wait at a barrier of the warp
  std::array<Entry, kMostEntries> entries_;
};

}  // namespace heddle
