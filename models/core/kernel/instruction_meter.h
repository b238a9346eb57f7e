#pragma once
// An InstructionMeter counts the warp instructions that each context has issued on all SMs, and reports when
// a context reaches its target. Each SM counts in a tally of its own, which no other SM touches.

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// An InstructionTally counts the instructions that one SM has issued since the last InstructionMeter::take().
class InstructionTally {
 public:
  explicit InstructionTally(std::size_t contexts) : counts_(contexts) { counted_.reserve(contexts); }

  void issued(ContextId context) {
    if (counts_[context.value]++ == 0) counted_.push_back(context);
  }
  bool empty() const { return counted_.empty(); }
  std::uint64_t count(ContextId context) const { return counts_[context.value]; }

  // Calls take(context, count) for each context that has issued, and counts from 0 again.
  template <class Take>
  void take_each(Take take) {
    for (const ContextId context : counted_) take(context, std::exchange(counts_[context.value], 0));
    counted_.clear();
  }

 private:
  std::vector<std::uint64_t> counts_;  // by context
  std::vector<ContextId> counted_;     // those whose count is not 0
};

class InstructionMeter {
 public:
  explicit InstructionMeter(std::size_t contexts) : contexts_(contexts) {}

  // Returns the tally of one more SM.
  InstructionTally& add_sm() { return tallies_.emplace_back(contexts_.size()); }

  // The meter calls `reached` when it takes the instruction that brings a context to its target.
  void on_reached(std::function<void(ContextId)> reached) { reached_ = std::move(reached); }
  void set_target(ContextId context, std::uint64_t instructions) {
    contexts_[context.value].target = instructions;
    has_targets_ = has_targets_ || instructions != 0;
  }
  // If a context has a target, each SM passes its tally to take() in every cycle in which it issues.
  bool has_targets() const { return has_targets_; }

  void take(InstructionTally& tally) {
    tally.take_each([this](ContextId id, std::uint64_t count) {
      Context& context = contexts_[id.value];
      const std::uint64_t before = std::exchange(context.count, context.count + count);
      if (before < context.target && context.target <= context.count) reached_(id);
    });
  }
  // Counts from 0 again. The targets stay.
  void reset() {
    for (Context& context : contexts_) context.count = 0;
    for (InstructionTally& tally : tallies_) tally.take_each([](ContextId, std::uint64_t) {});
  }
  std::uint64_t count(ContextId context) const {
    std::uint64_t count = contexts_[context.value].count;
    for (const InstructionTally& tally : tallies_) count += tally.count(context);
    return count;
  }

 private:
  struct Context {
    std::uint64_t count = 0;   // of what the meter has taken
    std::uint64_t target = 0;  // 0: none
  };

  std::vector<Context> contexts_;
  std::deque<InstructionTally> tallies_;  // by SM; they keep their places
  bool has_targets_ = false;
  std::function<void(ContextId)> reached_;
};

}  // namespace heddle
