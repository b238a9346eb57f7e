#pragma once
// A DramChannel is one memory channel. It has one DramController, or one for each of two pseudo-channels. Two
// controllers share the channel's row bus and column bus, so both together issue at most one row command and
// one column command in a command clock. The controller that has not issued the last row command goes first.
//
// The functions mean the same as those of a DramController.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "models/dram/dram_controller.h"

namespace heddle {

class DramChannel {
 public:
  // Makes the policies of the controller of this name.
  using MakePolicies = std::function<DramPolicies(const std::string& name)>;

  // The controller has the name of the channel. Two have its name with _0 and _1 behind it.
  DramChannel(const std::string& name, const DramSpec& spec, const MakePolicies& make_policies);

  void reset();
  bool full(Address local) const {
    return second_ == nullptr ? first_.full() : part(map().pseudo_channel(local)).full();
  }
  bool idle() const { return first_.idle() && (second_ == nullptr || second_->idle()); }
  void accept(const DramRequest& request, Cycle now) {
    second_ == nullptr ? first_.accept(request, now) : accept_part(request, now);
  }
  std::optional<DramCompletion> tick(Cycle now) {
    return second_ == nullptr ? first_.tick(now) : tick_both(now);
  }
  Cycle next_wake() const { return second_ == nullptr ? first_.next_wake() : next_wake_of_both(); }

  const LocalMap& map() const { return first_.map(); }
  // The bank groups of the second pseudo-channel have the numbers behind those of the first one.
  void observe(DramObserver& observer);
  void account_until(Cycle now);
  DramCounts counts(AccountId account) const;
  bool holds(AccountId account) const;
  void close(AccountId account);

  // The controllers, which have the statistics.
  std::uint32_t parts() const { return second_ == nullptr ? 1 : 2; }
  DramController& part(std::uint32_t i) { return i == 0 ? first_ : *second_; }
  const DramController& part(std::uint32_t i) const { return i == 0 ? first_ : *second_; }

 private:
  Cycle next_wake_of_both() const;
  Cycle next_step() const { return std::min(first_.next_step(), second_->next_step()); }
  void accept_part(const DramRequest& request, Cycle now);
  std::optional<DramCompletion> tick_both(Cycle now);
  std::optional<DramCompletion> step_both(Cycle now);
  void catch_up(Cycle now);

  CommandBuses buses_;
  DramController first_;
  std::unique_ptr<DramController> second_;  // null: the channel has no pseudo-channels
  bool second_goes_first_ = false;
};

}  // namespace heddle
