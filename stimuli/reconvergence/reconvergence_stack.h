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
// Since Volta the paths of a warp take turns where a lane may wait for what another lane of its warp does. A
// path that calls yield() lets the others run: those beside it, and lanes that wait to reconverge with it,
// which then no longer do (Diamos et al., "Execution of divergent threads using a convergence barrier",
// US 2016/0019066: threads that yield do not hold back a barrier). All paths run in turn.

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

  // The running path lets others run, if there are any. These are paths beside it. If all of these have
  // yielded, they are lanes that wait to reconverge with it, which go on without it, or paths further down.
  void yield();
  // The running lanes have arrived at a barrier of the warp's lanes in `mask`, and continue at `next_pc` when
  // such lanes on paths beside theirs have arrived, too, or have ended or reconverged.
  void arrive(std::uint32_t mask, std::uint32_t next_pc);
  // The running lanes need those of `mask` for their next instruction, which is at pc(). If such lanes are on
  // paths beside theirs, these run first, and reconverge there.
  void meet(std::uint32_t mask);

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
  // Returns the lowest entry of the paths that lie beside each other below `end` and reconverge at the point.
  std::uint32_t first_beside(std::uint32_t end, std::uint32_t reconvergence) const;
  std::uint32_t lanes_of(std::uint32_t first, std::uint32_t end) const;  // of these entries
  void remove_unneeded();  // entries in which no lane waits, or no lane but those that run above it
  // Moves the topmost entry below those from `place` on.
  void lower(std::uint32_t place);
  // Pops entries that have reached their reconvergence point, and merges the two topmost entries when both
  // run at the same place.
  void reconverge();

  std::uint32_t depth_ = 0;
  std::uint32_t yielded_ = 0;  // lanes that have let the others run since these ran
  std::uint32_t arrived_ = 0;  // lanes that wait at a barrier of the warp
  std::array<Entry, kMostEntries> entries_;
};

}  // namespace heddle
