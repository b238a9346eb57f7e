#include "policies/block_throttle/perf_sat_states.h"

#include <algorithm>
#include <iterator>

namespace heddle {

namespace {

using State = PerfSatStates::State;

enum class Vote : std::uint8_t { kAny, kBetter, kWorse };  // the new sample has fewer stalled cycles, or not
enum class Keep : std::uint8_t { kStored, kNew };          // the sample that the next one is compared with
enum class Toggle : std::uint8_t { kNone, kWeak, kStrong };
enum class Blocks : std::uint8_t { kSame, kHalf, kHalfAndOne, kUp, kDown };

struct Transition {
  State from;
  Vote vote;
  State to;
  Blocks blocks;
  Keep keep;
  Toggle toggle;
};

// The numbers are the paragraphs of Section IV-B.
constexpr Transition kTransitions[] = {
    // 2: the sample of half the blocks is stored, and one block is added.
    {State::kFirst, Vote::kAny, State::kWeakIncrease, Blocks::kHalfAndOne, Keep::kNew, Toggle::kNone},
    // 2: the decision to increase was correct, the history bit is set, the number of blocks remains.
    {State::kWeakIncrease, Vote::kBetter, State::kWeakIncreaseTwice, Blocks::kSame, Keep::kStored,
     Toggle::kNone},
    // 2: it was not: half the blocks again, and the sample of one more is stored.
    {State::kWeakIncrease, Vote::kWorse, State::kWeakDecrease, Blocks::kHalf, Keep::kNew, Toggle::kWeak},
    // 2: a second sample is coherent with the decision. 3: the stored sample is updated from now on.
    {State::kWeakIncreaseTwice, Vote::kBetter, State::kStrongIncrease, Blocks::kUp, Keep::kNew,
     Toggle::kNone},
    // 2: it is not, and the history bit is reset.
    {State::kWeakIncreaseTwice, Vote::kWorse, State::kWeakIncrease, Blocks::kSame, Keep::kStored,
     Toggle::kNone},
    // 2: the sample of half the blocks is coherent with the decision to decrease.
    {State::kWeakDecrease, Vote::kBetter, State::kStrongDecrease, Blocks::kDown, Keep::kNew, Toggle::kNone},
    // 2: it is not: one block more again.
    {State::kWeakDecrease, Vote::kWorse, State::kWeakIncrease, Blocks::kHalfAndOne, Keep::kNew,
     Toggle::kWeak},
    // 3: the number of blocks is increased or decreased at every sample.
    {State::kStrongIncrease, Vote::kBetter, State::kStrongIncrease, Blocks::kUp, Keep::kNew, Toggle::kNone},
    {State::kStrongDecrease, Vote::kBetter, State::kStrongDecrease, Blocks::kDown, Keep::kNew, Toggle::kNone},
    // 3: the sample is discarded, and the number of blocks is kept.
    {State::kStrongIncrease, Vote::kWorse, State::kWeakenedIncrease, Blocks::kSame, Keep::kStored,
     Toggle::kNone},
    {State::kStrongDecrease, Vote::kWorse, State::kWeakenedDecrease, Blocks::kSame, Keep::kStored,
     Toggle::kNone},
    // 3: a second sample says the same: the number of blocks before is the optimum.
    {State::kWeakenedIncrease, Vote::kWorse, State::kDone, Blocks::kDown, Keep::kStored, Toggle::kNone},
    {State::kWeakenedDecrease, Vote::kWorse, State::kDone, Blocks::kUp, Keep::kStored, Toggle::kNone},
    // 3: it does not: the direction stands.
    {State::kWeakenedIncrease, Vote::kBetter, State::kStrongIncrease, Blocks::kUp, Keep::kNew,
     Toggle::kStrong},
    {State::kWeakenedDecrease, Vote::kBetter, State::kStrongDecrease, Blocks::kDown, Keep::kNew,
     Toggle::kStrong},
};

}  // namespace

PerfSatStates::PerfSatStates(std::uint32_t most, Contradiction contradiction)
    : most_(most),
      half_((most + 1) / 2),
      blocks_(half_),
      contradiction_(contradiction),
      state_(most == 1 ? State::kDone : State::kFirst) {}

void PerfSatStates::sampled(std::uint64_t stalled) {
  if (done()) return;
  const Vote vote = stalled < stored_ ? Vote::kBetter : Vote::kWorse;
  if (state_ == State::kWeakIncreaseTwice && vote == Vote::kWorse && contradiction_ == Contradiction::kTurns)
    state_ = State::kWeakIncrease;
  const auto* const found =
      std::find_if(std::begin(kTransitions), std::end(kTransitions), [&](const Transition& line) {
        return line.from == state_ && (line.vote == vote || line.vote == Vote::kAny);
      });
  if (found->keep == Keep::kNew) stored_ = stalled;
  // 2, 3: more than three times, and the count is decided without a direction.
  if (found->toggle == Toggle::kWeak && ++weak_toggles_ > kMostToggles) return settle(half_ + 1);
  if (found->toggle == Toggle::kStrong && ++strong_toggles_ > kMostToggles)
    return settle(found->blocks == Blocks::kUp ? blocks_ - 1 : blocks_ + 1);
  state_ = found->to;
  switch (found->blocks) {
    case Blocks::kSame:
      break;
    case Blocks::kHalf:
      blocks_ = half_;
      break;
    case Blocks::kHalfAndOne:
      blocks_ = half_ + 1;
      break;
    case Blocks::kUp:
      move(1);
      break;
    case Blocks::kDown:
      move(-1);
      break;
  }
}

void PerfSatStates::settle(std::uint32_t blocks) {
  blocks_ = blocks;
  state_ = State::kDone;
}

void PerfSatStates::move(int step) {
  if (step > 0 ? blocks_ == most_ : blocks_ == 1) return settle(blocks_);
  blocks_ += static_cast<std::uint32_t>(step);
}

}  // namespace heddle
