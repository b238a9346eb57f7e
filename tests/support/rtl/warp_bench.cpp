// Cases of warp schedulers: the warps of a scheduler start and end at random, and a random set of them can
// issue.

#include "models/core/base/random.h"
#include "models/rtl/roles/rtl_warp_scheduler.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"
#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

namespace {

constexpr std::uint32_t kSlots = 64;
constexpr std::uint32_t kAgeBits = 6;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class Order { kRoundRobin, kOldest, kGreedy };

class WarpBench final : public UnitBench {
 public:
  // `as_machine`: the machine always does what the policy chooses, and nothing is reset after the first case.
  WarpBench(Order order, std::unique_ptr<WarpScheduler> policy, bool as_machine, std::uint64_t seed)
      : order_(order), as_machine_(as_machine), random_(seed), policy_(std::move(policy)) {}

  void draw() override {
    resets_ = drawn_++ == 0 || (!as_machine_ && random_.below(500) == 0);
    if (resets_) start_again();
    move_warps();
    draw_candidates();
    answer_.choices = {candidates_ != 0 ? 1u : 0u, candidates_ != 0 ? choose() : 0u};
    draw_taken();
    count();
  }

  const Answer& oracle() const override { return answer_; }
  const std::vector<std::uint64_t>& model() const override { return model_; }
  std::uint64_t model_choices() const override { return model_choices_; }

  Answer ask(RtlInstance& unit) const override {
    if (resets_) reset(unit);
    set(unit, "candidates_i", candidates_);
    set(unit, "taken_i", 0);
    if (order_ != Order::kRoundRobin) {
      RtlSignal& ages = *unit.find("ages_i");
      for (std::uint32_t bit = 0; bit < kAgeBits; ++bit)
        for (std::uint32_t slot = 0; slot < kSlots; ++slot)
          ages.set(bit * kSlots + slot, 1, ages_[slot] >> bit & 1);
    }
    unit.eval();
    Answer answer;
    answer.choices = {get(unit, "pick_valid_o"), get(unit, "pick_valid_o") != 0 ? get(unit, "pick_o") : 0};
    set(unit, "taken_i", taken_ == kNone ? 0 : std::uint64_t{1} << taken_);
    unit.eval();
    tick(unit);
    answer.counters = {get(unit, "choices_o"), get(unit, "issues_o")};
    if (order_ == Order::kGreedy) answer.counters.push_back(get(unit, "repeats_o"));
    return answer;
  }

 private:
  // A scheduler of an SM with several schedulers has every second, third or fourth slot.
  void start_again() {
    policy_->reset();
    warps_.clear();
    choices_ = issues_ = repeats_ = 0;
    last_ = order_ == Order::kRoundRobin ? kSlots - 1 : 0;
    stride_ = static_cast<std::uint32_t>(1 + random_.below(4));
    first_ = static_cast<std::uint32_t>(random_.below(stride_));
  }

  void move_warps() {
    for (std::uint64_t moves = random_.below(4); moves > 0; --moves) {
      const auto slot = first_ + stride_ * static_cast<std::uint32_t>(random_.below(kSlots / stride_));
      const auto at = std::find(warps_.begin(), warps_.end(), slot);
      if (at == warps_.end()) {
        warps_.push_back(slot);
        policy_->started(slot, {});
      } else if (random_.below(3) == 0) {
        warps_.erase(at);
        policy_->ended(slot);
      }
    }
    for (std::uint64_t& age : ages_) age = as_machine_ ? 0 : random_.below(kSlots);
    for (std::size_t i = 0; i < warps_.size(); ++i) ages_[warps_[i]] = i;
  }

  void draw_candidates() {
    const std::uint64_t dense = random_.below(8);
    candidates_ = 0;
    for (const std::uint32_t slot : warps_)
      if (random_.below(8) <= dense) candidates_ |= std::uint64_t{1} << slot;
    if (random_.below(16) == 0) candidates_ = 0;
  }

  bool can(std::uint32_t slot) const { return (candidates_ >> slot & 1) != 0; }

  std::uint32_t choose() const {
    if (order_ == Order::kRoundRobin) {
      std::uint32_t slot = (last_ + 1) % kSlots;
      while (!can(slot)) slot = (slot + 1) % kSlots;
      return slot;
    }
    if (order_ == Order::kGreedy && can(last_)) return last_;
    for (const std::uint32_t slot : warps_)
      if (can(slot)) return slot;
    return kNone;
  }

  // The machine takes the choice, and now and then nothing or another candidate. The policy follows what is
  // taken, because it is then asked with that candidate alone.
  void draw_taken() {
    model_ = answer_.choices;
    taken_ = kNone;
    if (candidates_ == 0) return;
    const std::uint64_t way = as_machine_ ? 2 : random_.below(16);
    if (way == 0) return;
    if (way == 1) {
      do taken_ = static_cast<std::uint32_t>(random_.below(kSlots));
      while (!can(taken_));
      policy_->pick({std::uint64_t{1} << taken_});
    } else {
      taken_ = static_cast<std::uint32_t>(answer_.choices[1]);
      ++model_choices_;
      model_[1] = policy_->pick({candidates_, 0, 0, nullptr, Cycle{drawn_}});
    }
  }

  void count() {
    if (candidates_ != 0) ++choices_;
    if (taken_ != kNone) ++issues_;
    if (taken_ == last_) ++repeats_;
    if (taken_ != kNone) last_ = taken_;
    answer_.counters = {choices_, issues_};
    if (order_ == Order::kGreedy) answer_.counters.push_back(repeats_);
  }

  const Order order_;
  const bool as_machine_;
  Random random_;
  std::unique_ptr<WarpScheduler> policy_;
  std::uint64_t drawn_ = 0;
  std::uint32_t stride_ = 1;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;            // the slot that issued last
  std::vector<std::uint32_t> warps_;  // slots of live warps, the oldest first
  std::uint64_t choices_ = 0;
  std::uint64_t issues_ = 0;
  std::uint64_t repeats_ = 0;

  bool resets_ = false;
  std::uint64_t candidates_ = 0;
  std::uint64_t ages_[kSlots] = {};  // arbitrary where there is no warp, for the machine 0
  std::uint32_t taken_ = kNone;
  Answer answer_;
  std::vector<std::uint64_t> model_;
  std::uint64_t model_choices_ = 0;
};

Unit unit(const std::string& name, const std::string& part, Order order, const std::string& policy) {
  const auto model = [policy] { return PolicyRegistry<WarpScheduler>::make({policy, {}}); };
  return {{name, {"index_of.sv", part, name + ".sv"}, {}},
          130000,
          100000,
          [=](std::uint64_t seed) { return std::make_unique<WarpBench>(order, model(), false, seed); },
          [=](std::uint64_t seed, RtlBlock& block) {
            auto shadow = std::make_unique<RtlWarpScheduler>(block, "sm0.scheduler0", kSlots, model());
            return std::make_unique<WarpBench>(order, std::move(shadow), true, seed);
          }};
}

}  // namespace

std::vector<Unit> warp_units() {
  return {unit("warp_round_robin", "first_after.sv", Order::kRoundRobin, "lrr"),
          unit("warp_oldest", "oldest_of.sv", Order::kOldest, "oldest"),
          unit("warp_greedy", "oldest_of.sv", Order::kGreedy, "gto")};
}

}  // namespace heddle::test
