#include "models/engine/handover_stats.h"

namespace heddle {

// A kernel that is not restartable is drained under every policy, so there are always slices that drain.
HandoverStats::HandoverStats(const Preemption& policy, Group& stats) {
  const bool saves = policy.answers(Handover::kSwitch);
  const bool flushes = policy.answers(Handover::kFlush);
  const bool mixes = policy.answers(Handover::kDrain) && (saves || flushes);
  const std::array<bool, kHandoverWays> declared{true, saves, flushes, mixes};
  Group& group = stats.child("handover");
  for (std::size_t i = 0; i < kHandoverWays; ++i) {
    Way& way = ways_[i];
    way.is_declared = declared[i];
    if (!way.is_declared) continue;
    Group& own = group.child(name_of(static_cast<HandoverWay>(i)));
    own.add(way.slices, "slices", "slice",
            "slices that another kernel's took the place of, their blocks gone");
    own.add(way.cycles, "cycles", "cycle", "core cycles from the decision to that, summed");
    own.add(way.longest, "longest", "cycle", "the most core cycles of one of them");
    own.add(way.p50, "p50", "cycle", "the median of these core cycles, at most 1/1024 above it");
    own.add(way.p90, "p90", "cycle", "the most of nine tenths of them");
    own.add(way.p99, "p99", "cycle", "the most of 99 of a hundred of them");
    own.add_formula("mean", "cycle", "core cycles from the decision to the hand-over", {way.cycles},
                    {way.slices});
  }
}

void HandoverStats::record(HandoverWay of, std::uint64_t cycles) {
  Way& way = ways_[static_cast<std::size_t>(of)];
  way.latencies.add(cycles);
  ++way.slices;
  way.cycles += cycles;
  way.longest.set(way.latencies.max());
}

void HandoverStats::update() {
  for (Way& way : ways_) {
    way.p50.set(way.latencies.quantile(0.5));
    way.p90.set(way.latencies.quantile(0.9));
    way.p99.set(way.latencies.quantile(0.99));
  }
}

void HandoverStats::reset() {
  for (Way& way : ways_) way.latencies.reset();
}

}  // namespace heddle
