#pragma once
// The state machine of Perf-Sat (Awatramani et al., Section IV-B), for one kernel on one SM. At the end of
// each sample period it compares the kernel's stalled cycles with the stored ones, and moves to another
// number of blocks. perf_sat_states.cpp has the table of its transitions, each with its paragraph.
//
// What the paper leaves open, and what is chosen here:
//   - "Lesser" is strictly less: a sample that equals the stored one speaks against the direction.
//   - "The history bit is reset again" (paragraph 2): the state stays weak-increase and waits for two more
//     samples in its favour. With Contradiction::kTurns the other sample makes it weak-decrease at once.
//   - Weak-decrease has no vote of its own: the sample that led to it was the first of two.
//   - A cap that would leave 1 .. most is not tried: the machine ends at the bound. One block at most is
//     settled at once.

#include <cstdint>

namespace heddle {

class PerfSatStates {
 public:
  enum class State : std::uint8_t {
    kFirst,              // the first sample, with half of the blocks
    kWeakIncrease,       // history 0
    kWeakIncreaseTwice,  // history 1
    kWeakDecrease,
    kStrongIncrease,
    kStrongDecrease,
    kWeakenedIncrease,  // after one contrary sample in kStrongIncrease
    kWeakenedDecrease,
    kDone,
  };
  enum class Contradiction : std::uint8_t { kResets, kTurns };

  PerfSatStates() = default;
  // `most` is Nmax, 1 or more.
  explicit PerfSatStates(std::uint32_t most, Contradiction contradiction = Contradiction::kResets);

  std::uint32_t blocks() const { return blocks_; }  // N: the cap; 1 .. most
  State state() const { return state_; }
  bool done() const { return state_ == State::kDone; }
  // A sample of blocks() blocks has ended, with this many stalled cycles.
  void sampled(std::uint64_t stalled);

 private:
  void settle(std::uint32_t blocks);
  void move(int step);  // one block more or less; ends at the bound

  static constexpr std::uint32_t kMostToggles = 3;

  std::uint32_t most_ = 1;
  std::uint32_t half_ = 1;  // ceil(most / 2)
  std::uint32_t blocks_ = 1;
  Contradiction contradiction_ = Contradiction::kResets;
  State state_ = State::kDone;
  std::uint64_t stored_ = 0;          // stalled cycles of the stored sample
  std::uint32_t weak_toggles_ = 0;    // between weak-increase and weak-decrease
  std::uint32_t strong_toggles_ = 0;  // between a strong state and its weakened one
};

}  // namespace heddle
