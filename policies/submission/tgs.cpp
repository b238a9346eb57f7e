// TGS (Wu et al., NSDI 2023) limits the rate of opportunistic launches so that the productive job launches as
// fast as it does alone. A process is productive while no open process has a higher priority. All other
// processes are opportunistic.
//   - Commands of productive processes go at once, and so do copies and events of all others.
//   - Time is divided into control periods. A rate is a number of launched blocks in a period, as in the
//     published system. The rate of the productive processes is the mean over the last `window` periods.
//   - After a pause the productive job is profiled for `window` periods, in which no opportunistic launch
//     goes. The rate in these periods, or any higher rate that is seen later, is the job's own rate.
//   - Slow start: the limit of the opportunistic launches begins at `initial` and grows by half in each
//     period, until the productive rate is more than `tolerance` below its own rate. The limit is then
//     reduced by a third, and congestion avoidance begins.
//   - Congestion avoidance: the limit grows by `increase` of the productive job's own rate in each period,
//     and falls by the share `decrease` in a period after which the productive rate is too low. If it is
//     three times `tolerance` below, the limit falls to a tenth, and slow start begins again.
//   - If the productive rate has been four times `tolerance` too low in 20 periods in a row, the job has
//     changed: its own rate is taken as a fifth lower, the limit is halved, and slow start begins again.
//   - After `idle` periods without a productive launch there is no limit.
// An opportunistic launch goes while fewer opportunistic blocks than the limit have gone in the period. The
// blocks above the limit count in the following periods, so that launches larger than the limit keep to the
// rate. The limit is never less than a thousandth of the productive job's own rate.
//
// The control reads launches alone. The paper argues that the state of the hardware queues says little,
// because a queue is empty while its kernel runs. Factors and thresholds are those of the published
// implementation; it states the two steps in blocks, and here they are shares of the productive rate.

#include <algorithm>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

namespace {

constexpr double kGrowth = 1.5;        // of slow start
constexpr double kCollapse = 10;       // of the limit, if the productive rate is far too low
constexpr double kFarBelow = 3;        // times the tolerance
constexpr double kChanged = 4;         // times the tolerance
constexpr int kPatience = 20;          // periods until the productive job counts as changed
constexpr double kLeastLimit = 0.001;  // of the productive job's own rate

class Tgs final : public Submission {
 public:
  explicit Tgs(const PolicyParameters& parameters)
      : period_ps_(static_cast<std::uint64_t>(parameters["period"] * kPsPerUs)),
        window_(static_cast<std::size_t>(parameters["window"])),
        idle_(static_cast<std::uint32_t>(parameters["idle"])),
        tolerance_(parameters["tolerance"]),
        initial_(parameters["initial"]),
        increase_(parameters["increase"]),
        decrease_(parameters["decrease"]) {}

  SubmissionDecision decide(const SubmissionView& view) override {
    const std::optional<std::int32_t> top = top_priority(view);
    if (!top) return SubmissionDecision::none();
    end_periods(view.now_ps);
    const auto is_productive = [&](const ProcessView& process) { return process.priority == *top; };
    const auto is_opportunistic = [&](const ProcessView& process) { return process.priority != *top; };
    if (const auto head = oldest_of(view, is_productive, any_head)) {
      if (is_launch(*head->head)) state_.productive += static_cast<double>(head->head->blocks);
      return head->submit();
    }
    if (const auto head = oldest_of(view, is_opportunistic, is_no_launch)) return head->submit();
    const auto head = oldest_of(view, is_opportunistic, is_launch);
    if (!head) return SubmissionDecision::none();
    if (state_.phase != Phase::kNoLimit) {
      if (state_.phase == Phase::kProfile || state_.taken >= state_.limit)
        return SubmissionDecision::at(state_.period_ps + period_ps_);
      state_.taken += static_cast<double>(head->head->blocks);
    }
    return head->submit();
  }

  void reset() override { state_ = {}; }

 private:
  enum class Phase : std::uint8_t { kNoLimit, kProfile, kSlowStart, kAvoidance };

  void end_periods(std::uint64_t now_ps) {
    if (!state_.has_begun) state_.period_ps = now_ps;
    state_.has_begun = true;
    while (now_ps >= state_.period_ps + period_ps_) {
      if (state_.phase == Phase::kNoLimit && state_.productive == 0) {
        state_.period_ps += (now_ps - state_.period_ps) / period_ps_ * period_ps_;
        return;
      }
      state_.period_ps += period_ps_;
      end_period();
    }
  }

  void end_period() {
    std::vector<double>& rates = state_.rates;
    rates.push_back(state_.productive);
    if (rates.size() > window_) rates.erase(rates.begin());
    state_.silent = state_.productive > 0 ? 0 : state_.silent + 1;
    state_.productive = 0;
    state_.taken = std::max(0.0, state_.taken - state_.limit);
    if (state_.silent >= idle_) {
      state_.phase = Phase::kNoLimit;
      return;
    }
    if (state_.phase == Phase::kNoLimit) {
      rates.clear();
      state_.taken = state_.limit = state_.own_rate = 0;
      state_.low = 0;
      state_.phase = Phase::kProfile;
      return;
    }
    if (rates.size() < window_) return;
    double rate = 0;
    for (const double of_period : rates) rate += of_period / static_cast<double>(window_);
    control(rate);
  }

  void control(double rate) {
    if (state_.phase == Phase::kProfile) {
      state_.own_rate = rate;
      state_.limit = initial_ * rate;
      state_.phase = Phase::kSlowStart;
    } else {
      state_.own_rate = std::max(state_.own_rate, rate);
      adapt(1 - rate / state_.own_rate);
    }
    state_.limit = std::max(state_.limit, kLeastLimit * state_.own_rate);
  }

  // `loss` is the share by which the productive rate is below the job's own rate.
  void adapt(double loss) {
    const bool is_low = loss > tolerance_;
    if (state_.phase == Phase::kSlowStart) {
      state_.limit = is_low ? state_.limit / kGrowth : std::min(kMostLimit, state_.limit * kGrowth);
      if (is_low) state_.phase = Phase::kAvoidance;
    } else {
      state_.limit = is_low ? state_.limit * (1 - decrease_) : state_.limit + increase_ * state_.own_rate;
      if (loss >= kFarBelow * tolerance_ && is_low) {
        state_.limit /= kCollapse;
        state_.phase = Phase::kSlowStart;
      }
    }
    state_.low = loss >= kChanged * tolerance_ && is_low ? state_.low + 1 : 0;
    if (state_.low < kPatience) return;
    state_.low = 0;
    state_.own_rate *= 0.8;
    state_.limit /= 2;
    state_.phase = Phase::kSlowStart;
  }

  static constexpr double kMostLimit = 1e14;  // blocks a period

  const std::uint64_t period_ps_;
  const std::size_t window_;
  const std::uint32_t idle_;
  const double tolerance_;
  const double initial_;
  const double increase_;
  const double decrease_;

  struct State {
    std::uint64_t period_ps = 0;  // start of the present period
    bool has_begun = false;
    Phase phase = Phase::kNoLimit;
    double productive = 0;      // blocks of the productive processes in the present period
    double taken = 0;           // opportunistic blocks that count in the present period
    double limit = 0;           // of `taken`
    double own_rate = 0;        // of the productive processes without the others
    std::vector<double> rates;  // of the last periods, at most the window
    std::uint32_t silent = 0;   // periods in a row without a productive launch
    int low = 0;                // periods in a row in which the productive rate was far too low
  };
  State state_;
};

HEDDLE_POLICY(Submission, Tgs, "tgs",
              "opportunistic launches at a rate that leaves the productive job's rate as it is",
              "Wu et al., TGS, NSDI 2023, adaptive rate control; its published implementation",
              {{"period", "us", 10000, 100, 100000, "of the control"},
               {"window", "periods", 5, 1, 100, "over which the productive rate is a mean", true},
               {"idle", "periods", 3, 1, 100, "without a productive launch, after which there is no limit",
                true},
               {"tolerance", "share", 0.03, 0.001, 1, "of the productive rate that may be lost"},
               {"initial", "share", 0.1, 0.001, 1000, "of the productive rate: the first limit; a guess"},
               {"increase", "share", 0.03, 0.0001, 1000,
                "of the productive rate: added to the limit in a period; a guess"},
               {"decrease", "share", 0.08, 0.001, 0.999, "of the limit, by which it falls in a period"}});

}  // namespace

}  // namespace heddle
