// Perf-Sat (Awatramani, Zambreno and Rover, Perf-Sat: Runtime Detection of Performance Saturation for GPGPU
// Applications). The SMs decide separately, each for each of its kernels.
//
//   - The sample period is "approximately the number of cycles it would take for Nmax thread blocks to
//     complete" (Section IV-B, paragraph 1). N blocks run at once, so that these are the cycles of the first
//     block that ends, times Nmax / N. The paragraph also prints One_TB * Nmax, the cycles of Nmax blocks
//     that follow each other: with `serial`. N is the cap at the start, and the period stays what it is,
//     because stalled cycles of samples are compared. `period` multiplies either.
//   - A sample counts the cycles in which the kernel issued no instruction and its warps waited for the
//     scoreboard or for a unit. With `stalls: 1` all warps must wait (Section III-C), with `stalls: 0` one.
//   - perf_sat_states.h decides by these samples, and its choice stands as long as the kernel is on the SM.
//   - The paper does not say what a sample is while more blocks run than the lowered cap. With `wait` a
//     sample starts when no more do; a raised cap is filled within a few cycles.
//   - A sample in which the kernel ran out of blocks decides nothing.
//   - The period is recorded "when work from a new kernel is started on a core". The paper's kernels are
//     functions (Section I), but it does not say whether a later launch of one is a new kernel. With
//     `remember` it is not: the detection goes on where it was when the launch before ended there, with the
//     same period, and its choice stands. Without, each launch is detected anew.

#include <algorithm>
#include <map>
#include <tuple>

#include "policies/block_throttle/i_block_throttle.h"
#include "policies/block_throttle/perf_sat_states.h"

namespace heddle {

namespace {

class PerfSat final : public BlockThrottle {
 public:
  explicit PerfSat(const PolicyParameters& parameters)
      : period_(parameters["period"]),
        is_serial_(parameters["serial"] != 0),
        all_warps_(parameters["stalls"] != 0),
        contradiction_(parameters["turn"] != 0 ? PerfSatStates::Contradiction::kTurns
                                               : PerfSatStates::Contradiction::kResets),
        waits_(parameters["wait"] != 0),
        remembers_(parameters["remember"] != 0) {}

  bool reads_stalls() const override { return true; }

  ThrottleAnswer started(const ThrottleView& slice) override {
    Slice& own = slices_[slice];
    own = {};
    own.states = PerfSatStates(slice.most, contradiction_);
    const auto known = detections_.find(key(slice));
    if (known != detections_.end() && (known->second.states.done() || known->second.most == slice.most)) {
      own.states = known->second.states;
      own.length = known->second.length;
      own.is_waiting = !own.states.done();  // for the first block, as at the start of a detection
    }
    return answer(slice, own);
  }

  ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t cycles, const SmWork&) override {
    Slice& own = slices_[slice];
    if (own.length == 0) {
      own.length = length_of_sample(cycles, slice.most, own.states.blocks());
      if (!own.states.done()) own.sample_at = slice.now;
    } else if (own.is_waiting && slice.running <= own.states.blocks()) {
      own.is_waiting = false;
      own.sample_at = slice.now;
    }
    return answer(slice, own);
  }

  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) override {
    Slice& own = slices_[slice];
    if (own.states.done() || slice.unissued == 0) {
      own.sample_at = Cycle::never();
      return answer(slice, own);
    }
    const WaitReasons reasons = kWaitsForPipeline | kWaitsForScoreboard;
    const std::uint64_t stalled = all_warps_ ? totals.stalls.all_of(reasons) : totals.stalls.any_of(reasons);
    if (own.is_sampling) own.states.sampled(stalled - own.stalled);
    if (remembers_) detections_[key(slice)] = {own.states, own.length, slice.most};
    own.is_sampling = true;
    own.stalled = stalled;
    own.sample_at = totals.until + own.length;
    if (own.states.done()) {
      own.sample_at = Cycle::never();
    } else if (waits_ && slice.running > own.states.blocks()) {
      own.is_waiting = true;
      own.is_sampling = false;
      own.sample_at = Cycle::never();
    }
    return answer(slice, own);
  }

  void reset() override {
    slices_.clear();
    detections_.clear();
  }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    return needs_cycle_sms("perf-sat", gpu);
  }

 private:
  struct Slice {
    PerfSatStates states;
    std::uint64_t length = 0;   // of a sample; 0: no block has ended
    bool is_sampling = false;   // `stalled` is of the start of a sample
    bool is_waiting = false;    // for a block to end, and for blocks above the cap to end
    std::uint64_t stalled = 0;  // of the totals at the start of the sample
    Cycle sample_at = Cycle::never();
  };
  // What is kept of a kernel from one launch to the next.
  struct Detection {
    PerfSatStates states;
    std::uint64_t length = 0;
    std::uint32_t most = 0;
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // SM, context, tag

  // Returns the length of a sampling period in cycles: the time in which `most` blocks end, of which each
  // takes `block` cycles and `at_once` run at the same time (IV-B 1). With is_serial_ they run one after
  // another.
  std::uint64_t length_of_sample(std::uint64_t block, std::uint32_t most, std::uint32_t at_once) const {
    const double blocks = is_serial_ ? most : static_cast<double>(most) / at_once;
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(period_ * static_cast<double>(block) * blocks),
                                   1);
  }

  static Key key(const ThrottleView& slice) { return {slice.sm.value, slice.context.value, slice.tag}; }
  static ThrottleAnswer answer(const ThrottleView& slice, const Slice& own) {
    return {std::min(own.states.blocks(), slice.most), own.sample_at, own.states.done()};
  }

  const double period_;
  const bool is_serial_;
  const bool all_warps_;
  const PerfSatStates::Contradiction contradiction_;
  const bool waits_;
  const bool remembers_;
  BySlice<Slice> slices_;
  std::map<Key, Detection> detections_;  // of launches before
};

HEDDLE_POLICY(
    BlockThrottle, PerfSat, "perf-sat",
    "the blocks beyond which a kernel's stalled cycles do not fall, found by raising or lowering them",
    "Awatramani et al., Perf-Sat, Section IV",
    {{"period", "1", 1.0, 0.001, 1000, "of a sample, in the cycles in which the most blocks end"},
     {"serial", "0 to 1", 0.0, 0, 1, "1: these end one after another, as in One_TB x Nmax; 0: side by side",
      true},
     {"stalls", "0 to 1", 1.0, 0, 1, "1: cycles in which all warps of the kernel wait, 0: some", true},
     {"turn", "0 to 1", 0.0, 0, 1, "1: a contrary second sample turns to weak-decrease at once", true},
     {"wait", "0 to 1", 1.0, 0, 1, "1: a sample starts when no more blocks run than the cap", true},
     {"remember", "0 to 1", 0.0, 0, 1, "1: a later launch goes on where the one before ended", true}});

}  // namespace

}  // namespace heddle
