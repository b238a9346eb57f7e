#pragma once
// An InstructionMeter counts the warp instructions that each context has issued on all SMs. When a context
// reaches its target, the meter reports it in that very cycle.
//
// Each SM counts its instructions in a tally of its own, which no other SM touches. If a context still needs
// r instructions to its target and the GPU has n SMs, an SM passes its tally to the meter only when the tally
// has reached r / n, rounded up: as long as all n tallies are below r / n, their sum is below r, and the
// context cannot have reached its target. SMs therefore seldom wait for each other in order to be counted.

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// An InstructionTally counts the instructions of one SM that the meter has not taken.
class InstructionTally {
 public:
  // `due` has the meter's limit of the tally for each context.
  explicit InstructionTally(const std::vector<std::uint64_t>& due) : due_(due), counts_(due.size()) {}

  void issued(ContextId context) {
    if (++counts_[context.value] >= due_[context.value]) is_due_ = true;
  }
  // Whether the SM is to pass the tally to InstructionMeter::take() in this cycle.
  bool is_due() const { return is_due_; }
  std::uint64_t count(ContextId context) const { return counts_[context.value]; }

 private:
  friend class InstructionMeter;

  const std::vector<std::uint64_t>& due_;
  std::vector<std::uint64_t> counts_;  // by context
  bool is_due_ = false;
};

class InstructionMeter {
 public:
  explicit InstructionMeter(std::size_t contexts) : contexts_(contexts), due_(contexts, kNever) {}

  // Returns the tally of one more SM.
  InstructionTally& add_sm() {
    InstructionTally& tally = tallies_.emplace_back(due_);
    for (std::size_t i = 0; i < contexts_.size(); ++i) set_due(i);
    return tally;
  }

  // The meter calls `reached` when the instruction that brings a context to its target is in a tally that it
  // takes.
  void on_reached(std::function<void(ContextId)> reached) { reached_ = std::move(reached); }
  // The call comes before the context issues an instruction. 0: there is no target.
  void set_target(ContextId context, std::uint64_t instructions) {
    contexts_[context.value].target = instructions;
    set_due(context.value);
  }

  // SMs call this one after another after the work of a cycle. What other tallies have counted by then may be
  // taken, too.
  void take(InstructionTally& tally) {
    tally.is_due_ = false;
    for (std::size_t i = 0; i < contexts_.size(); ++i)
      if (tally.counts_[i] >= due_[i]) take(tally, i);
  }
  // Counts from 0 again. The targets stay.
  void reset() {
    for (InstructionTally& tally : tallies_) {
      tally.counts_.assign(contexts_.size(), 0);
      tally.is_due_ = false;
    }
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
      contexts_[i].count = 0;
      set_due(i);
    }
  }
  std::uint64_t count(ContextId context) const {
    std::uint64_t count = contexts_[context.value].count;
    for (const InstructionTally& tally : tallies_) count += tally.count(context);
    return count;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  struct Context {
    std::uint64_t count = 0;   // of what the meter has taken
    std::uint64_t target = 0;  // 0: none
  };

  void set_due(std::size_t context) {
    const auto& [count, target] = contexts_[context];
    const std::uint64_t sms = tallies_.size();
    due_[context] = count >= target || sms == 0 ? kNever : (target - count + sms - 1) / sms;
  }

  // Takes the context's count of the tally, and of each other tally that has its part of what is then
  // missing.
  void take(InstructionTally& tally, std::size_t context) {
    Context& all = contexts_[context];
    add(tally, context);
    for (std::uint64_t before = 0; before != all.count && all.count < all.target;) {
      before = all.count;
      for (InstructionTally& other : tallies_)
        if (other.counts_[context] >= due_[context]) add(other, context);
    }
    if (all.count >= all.target) reached_(ContextId{static_cast<std::uint32_t>(context)});
  }
  void add(InstructionTally& tally, std::size_t context) {
    contexts_[context].count += std::exchange(tally.counts_[context], 0);
    set_due(context);
  }

  std::vector<Context> contexts_;
  std::vector<std::uint64_t> due_;        // by context: the count from which on a tally is due
  std::deque<InstructionTally> tallies_;  // by SM; they keep their places
  std::function<void(ContextId)> reached_;
};

}  // namespace heddle
