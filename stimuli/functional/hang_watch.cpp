#include "stimuli/functional/hang_watch.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint64_t kWatched = 16384;  // instructions of each warp in the first watch
constexpr std::uint64_t kChecks = 4;       // of a watch
constexpr std::uint64_t kLongestWatch = 1024;
constexpr std::uint64_t kSuspicious = 100'000'000;  // instructions without a change: some ten seconds

}  // namespace

HangWatch::Verdict HangWatch::turn(std::uint64_t instructions, bool block_ended, std::size_t warps) {
  if (block_ended) {
    rounds_ = 1;
    was_stuck_ = false;
    end(instructions);
    return Verdict::kNone;
  }
  if (!is_watching_) {
    if (instructions >= next_) begin(instructions, warps);
    return Verdict::kNone;
  }
  if (program_.changes() != changes_) {
    // Where the blocks before were stuck, those that have started since may be, too.
    if (was_stuck_)
      begin(instructions, warps);
    else
      end(instructions);
    return Verdict::kNone;
  }
  if (instructions < check_at_) return Verdict::kNone;
  if (program_.is_stuck()) {
    check_at_ = instructions;  // the next turn is that of a block that starts now
    end_at_ = instructions + kChecks * interval_;
    was_stuck_ = true;
    return Verdict::kStuck;
  }
  check_at_ = instructions + interval_;
  if (instructions < end_at_) return Verdict::kNone;
  // Longer rounds are looked for after as many instructions as have been executed in vain.
  const std::uint64_t since = quiet_since_;
  rounds_ = std::min(2 * rounds_, kLongestWatch);
  end(instructions);
  quiet_since_ = since;
  next_ = instructions + (instructions - since);
  if (is_suspected_ || instructions - since < kSuspicious) return Verdict::kNone;
  is_suspected_ = true;
  return Verdict::kSuspected;
}

void HangWatch::begin(std::uint64_t instructions, std::size_t warps) {
  program_.watch(true);
  is_watching_ = true;
  changes_ = program_.changes();
  interval_ = kWatched / kChecks * rounds_ * std::max<std::size_t>(warps, 1);
  check_at_ = instructions + interval_;
  end_at_ = instructions + kChecks * interval_;
}

void HangWatch::end(std::uint64_t instructions) {
  if (is_watching_) program_.watch(false);
  is_watching_ = false;
  quiet_since_ = instructions;
  next_ = instructions + kFirstQuiet;
}

}  // namespace heddle
