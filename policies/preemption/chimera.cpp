// Chimera chooses for each block the cheapest way to leave the SM that meets a bound on the latency (Park et
// al., Chimera: Collaborative Preemption for Multitasking on a Shared GPU, ASPLOS 2015). Its estimates are
// these; overheads are core cycles of a block that the SM does not use or spends twice:
//
//            latency                               overhead
//   drain    the cycles until the block ends       until the slowest block ends that is drained: the slot
//                                                  stands idle
//   switch   bytes of the slice's blocks over      twice the latency: the block is stored and loaded
//            the bandwidth to store them
//   flush    none                                  the cycles since the block's issue: they are repeated
//
// Of the ways that meet the bound, the one with the least overhead is taken; of equal ones the first in this
// order. If none meets it, the one with the least latency is taken. The paper's Chimera also chooses which
// SMs to take. Here that is the SM partitioner's decision, so the policy decides for the blocks of one slice.
//
// While no block of the launch has ended, there is no mean duration. A block is then taken to run for
// `unknown` times its elapsed time. The default is 1, because a block that is seen at a random time of its
// life has in the mean as much time before it as behind it.

#include <algorithm>

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Chimera final : public Preemption {
 public:
  explicit Chimera(const PolicyParameters& parameters)
      : bound_(parameters["latency"]), unknown_(parameters["unknown"]) {}

  bool answers(Handover) const override { return true; }

  void decide(const HandoverView& view, std::vector<Handover>& blocks) override {
    if (blocks.empty()) return;
    view.costs->read(view.sm, view.kernel, costs_);
    double bytes = 0;
    double slowest = 0;  // latency of the blocks that may be drained
    for (const HandoverCost& cost : costs_) {
      bytes += static_cast<double>(cost.switch_bytes);
      if (drain_of(cost) <= bound_) slowest = std::max(slowest, drain_of(cost));
    }
    const double save = view.save_bytes_per_cycle > 0 ? bytes / view.save_bytes_per_cycle : 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Estimate best{drain_of(costs_[i]), slowest - drain_of(costs_[i])};
      const auto consider = [&](Handover way, const Estimate& other) {
        if (!is_better(other, best)) return;
        best = other;
        blocks[i] = way;
      };
      if (view.save_bytes_per_cycle > 0) consider(Handover::kSwitch, {save, 2 * save});
      if (view.restartable) consider(Handover::kFlush, {0, static_cast<double>(costs_[i].elapsed)});
    }
  }

 private:
  struct Estimate {
    double latency;
    double overhead;
  };

  double drain_of(const HandoverCost& cost) const {
    return cost.drain_cycles ? static_cast<double>(*cost.drain_cycles)
                             : unknown_ * static_cast<double>(cost.elapsed);
  }
  bool is_better(const Estimate& a, const Estimate& b) const {
    const bool a_meets = a.latency <= bound_;
    const bool b_meets = b.latency <= bound_;
    if (a_meets != b_meets) return a_meets;
    return a_meets ? a.overhead < b.overhead : a.latency < b.latency;
  }

  const double bound_;
  const double unknown_;
  std::vector<HandoverCost> costs_;
};

HEDDLE_POLICY(Preemption, Chimera, "chimera",
              "block by block the cheapest of drain, switch and flush under a bound on the latency",
              "Park et al., Chimera, ASPLOS 2015",
              {{"latency", "cycles", 21000, 0, 1e12,
                "most from the decision to the hand-over, by estimate; 15 us at a guessed 1.4 GHz", true},
               {"unknown", "elapsed times", 1, 0, 1e6,
                "that a block still runs while no block of its launch has ended"}});

}  // namespace

}  // namespace heddle
