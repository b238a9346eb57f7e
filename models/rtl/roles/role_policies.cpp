// The policies of the decisions that RolePolicy knows: each class makes the view of its policy from the
// signals of the role.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "models/core/base/port_set.h"
#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/rtl/roles/role_policy.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

template <class Visit>
void for_each_bit(std::uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(__builtin_ctzll(mask)));
}

std::uint64_t bit_of(std::uint32_t place) {
  return std::uint64_t{1} << place;
}

class RoleCrossbarArbiter final : public RolePolicy {
 public:
  RoleCrossbarArbiter(const RtlRole& role, const PolicyChoice& choice, std::uint32_t things)
      : RolePolicy(role, things),
        policy_(PolicyRegistry<CrossbarArbiter>::make(choice)),
        requests_(signal("requests")),
        ages_(signal("ages")),
        contexts_(signal("contexts")),
        flits_(signal("flits")),
        ports_(things),
        issued_(things),
        packets_(things),
        requested_(things) {}

 private:
  bool has_choices() const override {
    const Words& words = input(requests_);
    return std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; });
  }
  std::uint32_t ask() override {
    ports_.reset();
    for (std::uint32_t w = 0; w < input(requests_).size(); ++w)
      for_each_bit(input(requests_)[w], [&](std::uint32_t place) { ports_.set(w * 64 + place); });
    ports_.for_each([&](std::uint32_t port) {
      issued_[port] = Cycle{input(ages_)[port]};
      RequestingPacket& packet = packets_[port];
      packet.context = ContextId{static_cast<std::uint32_t>(input(contexts_)[port])};
      packet.flits = std::max(static_cast<std::uint32_t>(input(flits_)[port]), 1u);
      if (!requested_.test(port)) packet.since = Cycle{ticks()};
    });
    requested_ = ports_;
    return policy_->choose({ports_, issued_.data(), Cycle{ticks()}, packets_.data()});
  }
  void follow(std::uint32_t, std::uint32_t taken) override {
    if (taken == kNone) return;
    if (!ports_.test(taken)) fail(fmt::format("signal 'taken' has input {}, which does not request", taken));
    policy_->granted(taken);
    requested_.clear(taken);
  }
  void reset_policy() override {
    policy_->reset();
    requested_.reset();
  }

  const std::unique_ptr<CrossbarArbiter> policy_;
  const std::size_t requests_, ages_, contexts_, flits_;
  PortSet ports_;
  std::vector<Cycle> issued_;
  std::vector<RequestingPacket> packets_;
  PortSet requested_;  // ports that requested in the last choice and have not been served since
};

// The policy hears of starts and ends before a choice: those of `ended` and `started`, then those that follow
// from `ages`. A kernel comes to the SM with its first warp, and leaves it with its last one.
class RoleWarpScheduler final : public RolePolicy, private WarpViews {
 public:
  RoleWarpScheduler(const RtlRole& role, const PolicyChoice& choice, std::uint32_t things)
      : RolePolicy(role, things),
        policy_(PolicyRegistry<WarpScheduler>::make(choice)),
        candidates_(signal("candidates")),
        live_(signal("live")),
        wait_long_(signal("wait_long")),
        started_(signal("started")),
        ended_(signal("ended")),
        ages_(signal("ages")),
        kernels_(signal("kernels")),
        contexts_(signal("contexts")),
        operations_(signal("operations")),
        warps_(things) {
    order_.reserve(things);
    aged_.reserve(things);
    policy_->reset();
  }

 private:
  void pass_events() override {
    check_events();
    for_each_bit(mask(ended_), [&](std::uint32_t slot) { end(slot); });
    aged_.clear();
    for_each_bit(mask(started_), [&](std::uint32_t slot) { aged_.push_back(slot); });
    sort_by_age();
    for (const std::uint32_t slot : aged_) start(slot);
  }
  bool has_choices() const override { return mask(candidates_) != 0; }
  std::uint32_t ask() override {
    follow_ages();
    const std::uint64_t live = mask(live_) | mask(candidates_);
    return policy_->pick({mask(candidates_), live, mask(wait_long_), this, Cycle{ticks()}});
  }
  void follow(std::uint32_t chosen, std::uint32_t taken) override {
    if (taken == chosen) return;
    if (taken == kNone)
      fail(fmt::format(
          "the policy has chosen slot {} and cannot take that back; it is asked only in cycles in "
          "which a warp issues",
          chosen));
    if ((mask(candidates_) & bit_of(taken)) == 0)
      fail(fmt::format("signal 'taken' has slot {}, which is no candidate", taken));
    policy_->follow(taken);
  }
  void reset_policy() override {
    policy_->reset();
    order_.clear();
    warps_.assign(things(), {});
    set_ups_ = 0;
  }

  WarpView warp(std::uint32_t slot) const override {
    WarpView view = warps_[slot];
    view.next = static_cast<OperationClass>(input(operations_)[slot]);
    return view;
  }

  void check_events() const {
    for_each_bit(mask(ended_), [&](std::uint32_t slot) {
      if (!is_here(slot)) fail(fmt::format("signal 'ended' has slot {}, in which no warp has started", slot));
    });
    for_each_bit(mask(started_) & ~mask(ended_), [&](std::uint32_t slot) {
      if (is_here(slot)) fail(fmt::format("signal 'started' has slot {}, whose warp has not ended", slot));
    });
  }

  // Brings the order of the warps in line with `ages`, and starts every warp that is a candidate or live and
  // was not heard of. A warp that starts is the youngest one, so the warps that stay are the longest
  // beginning of the order by ages that is a part of the present order. All others end, and start anew.
  void follow_ages() {
    const std::vector<std::uint64_t>& ages = input(ages_);
    const bool has_ages = std::any_of(ages.begin(), ages.end(), [](std::uint64_t age) { return age != 0; });
    aged_.clear();
    for (std::uint32_t slot = 0; slot < things(); ++slot)
      if (ages[slot] != 0 || ((mask(candidates_) | mask(live_)) & bit_of(slot)) != 0) aged_.push_back(slot);
    sort_by_age();
    std::size_t stay = 0;
    if (has_ages) {
      for (const std::uint32_t slot : order_)
        if (stay < aged_.size() && aged_[stay] == slot) ++stay;
      end_all_but(stay);
    }
    for (; stay < aged_.size(); ++stay)
      if (!is_here(aged_[stay])) start(aged_[stay]);
  }
  // Ends every warp that is not among the first `stay` of aged_.
  void end_all_but(std::size_t stay) {
    const auto last = aged_.begin() + static_cast<std::ptrdiff_t>(stay);
    for (std::size_t i = order_.size(); i-- > 0;)
      if (std::find(aged_.begin(), last, order_[i]) == last) end(order_[i]);
  }
  void sort_by_age() {
    std::stable_sort(aged_.begin(), aged_.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return input(ages_)[a] < input(ages_)[b]; });
  }

  bool is_here(std::uint32_t slot) const {
    return std::find(order_.begin(), order_.end(), slot) != order_.end();
  }
  void start(std::uint32_t slot) {
    WarpView warp;
    warp.kernel = KsrId{static_cast<std::uint32_t>(input(kernels_)[slot])};
    warp.context = ContextId{static_cast<std::uint32_t>(input(contexts_)[slot])};
    warp.block = BlockId{0};
    warp.started = Cycle{ticks()};
    const auto same = std::find_if(order_.begin(), order_.end(), [&](std::uint32_t other) {
      return warps_[other].kernel == warp.kernel && warps_[other].context == warp.context;
    });
    warp.set_up = same == order_.end() ? set_ups_++ : warps_[*same].set_up;
    warps_[slot] = warp;
    order_.push_back(slot);
    policy_->started(slot, warp);
  }
  void end(std::uint32_t slot) {
    order_.erase(std::find(order_.begin(), order_.end(), slot));
    policy_->ended(slot);
  }

  const std::unique_ptr<WarpScheduler> policy_;
  const std::size_t candidates_, live_, wait_long_, started_, ended_, ages_, kernels_, contexts_, operations_;
  std::vector<WarpView> warps_;       // by slot
  std::vector<std::uint32_t> order_;  // slots of the warps that the policy knows, the oldest first
  std::vector<std::uint32_t> aged_;   // slots in the order of `ages`
  std::uint64_t set_ups_ = 0;
};

class RoleDramScheduler final : public RolePolicy {
 public:
  RoleDramScheduler(const RtlRole& role, const PolicyChoice& choice, std::uint32_t things)
      : RolePolicy(role, things),
        policy_(PolicyRegistry<DramScheduler>::make(choice)),
        columns_(signal("columns")),
        activates_(signal("activates")),
        precharges_(signal("precharges")),
        waiting_(signal("waiting")),
        ages_(signal("ages")) {}

 private:
  std::uint64_t ready() const { return mask(columns_) | mask(activates_) | mask(precharges_); }
  bool has_choices() const override { return ready() != 0; }
  std::uint32_t ask() override {
    const std::uint64_t twice = (mask(columns_) & mask(activates_)) | (mask(columns_) & mask(precharges_)) |
                                (mask(activates_) & mask(precharges_));
    if (twice != 0) fail(fmt::format("banks {:#x} have several next commands", twice));
    if ((ready() & ~mask(waiting_)) != 0)
      fail(fmt::format("banks {:#x} have a command, and no request by signal 'waiting'",
                       ready() & ~mask(waiting_)));
    const std::size_t bank = policy_->choose({mask(columns_), mask(activates_), mask(precharges_),
                                              mask(waiting_), input(ages_).data(), Cycle{ticks()}});
    return bank == DramScheduler::kNone ? kNone : static_cast<std::uint32_t>(bank);
  }
  void follow(std::uint32_t, std::uint32_t) override {}  // these policies know what the banks show
  void reset_policy() override { policy_->reset(); }

  const std::unique_ptr<DramScheduler> policy_;
  const std::size_t columns_, activates_, precharges_, waiting_, ages_;
};

class RoleDmaArbiter final : public RolePolicy {
 public:
  RoleDmaArbiter(const RtlRole& role, const PolicyChoice& choice, std::uint32_t things)
      : RolePolicy(role, things),
        policy_(PolicyRegistry<DmaArbiter>::make(choice)),
        transfers_(signal("transfers")),
        priorities_(signal("priorities")),
        contexts_(signal("contexts")),
        bytes_(signal("bytes")) {
    views_.reserve(things);
  }

 private:
  bool has_choices() const override {
    const Words& words = input(transfers_);
    return std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; });
  }
  std::uint32_t ask() override {
    views_.clear();
    for (std::uint32_t w = 0; w < input(transfers_).size(); ++w)
      for_each_bit(input(transfers_)[w], [&](std::uint32_t place) {
        const std::uint32_t i = w * 64 + place;
        views_.push_back({i, ContextId{static_cast<std::uint32_t>(input(contexts_)[i])},
                          static_cast<std::int32_t>(input(priorities_)[i]), input(bytes_)[i]});
      });
    return static_cast<std::uint32_t>(views_[policy_->choose({views_, Cycle{ticks()}})].number);
  }
  void follow(std::uint32_t, std::uint32_t) override {}  // these policies know what the transfers show
  void reset_policy() override { policy_->reset(); }

  const std::unique_ptr<DmaArbiter> policy_;
  const std::size_t transfers_, priorities_, contexts_, bytes_;
  std::vector<TransferView> views_;
};

struct Maker {
  std::uint32_t most;  // things
  std::unique_ptr<RolePolicy> (*make)(const RtlRole&, const PolicyChoice&, std::uint32_t);
};

template <class Class>
std::unique_ptr<RolePolicy> make_role(const RtlRole& role, const PolicyChoice& choice, std::uint32_t things) {
  return std::make_unique<Class>(role, choice, things);
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> table{
      {CrossbarArbiter::kDecision, {RolePolicy::kMostThings, make_role<RoleCrossbarArbiter>}},
      {DmaArbiter::kDecision, {RolePolicy::kMostThings, make_role<RoleDmaArbiter>}},
      {DramScheduler::kDecision, {64, make_role<RoleDramScheduler>}},
      {WarpScheduler::kDecision, {64, make_role<RoleWarpScheduler>}}};
  return table;
}

}  // namespace

std::vector<std::string> RolePolicy::decisions() {
  std::vector<std::string> names;
  for (const auto& [decision, maker] : makers()) names.push_back(decision);
  return names;
}

std::unique_ptr<RolePolicy> RolePolicy::make(const std::string& decision, const PolicyChoice& choice,
                                             std::uint32_t things) {
  const auto maker = makers().find(decision);
  if (maker == makers().end()) {
    throw PolicyError(fmt::format("no policy of the decision '{}' can be asked alone{}", decision,
                                  config::suggestion_and_known(decision, decisions())));
  }
  if (things == 0 || things > maker->second.most)
    throw PolicyError(
        fmt::format("{}: it chooses from 1 to {} things, not {}", decision, maker->second.most, things));
  if (!rtl_block_of(choice.name).empty())
    throw PolicyError(
        fmt::format("{}: '{}' is a block in RTL, and only a machine has those", decision, choice.name));
  return maker->second.make(*find_rtl_role(decision), choice, things);
}

}  // namespace heddle
