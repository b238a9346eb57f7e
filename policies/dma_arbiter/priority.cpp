#include <algorithm>

#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

namespace {

// A transfer is preempted at a PCIe packet boundary (CUsched, Section I).
class PriorityCopies final : public DmaArbiter {
 public:
  explicit PriorityCopies(const PolicyParameters&) {}

  std::size_t choose(const BurstView& burst) override {
    const auto largest =
        std::max_element(burst.transfers.begin(), burst.transfers.end(),
                         [](const auto& a, const auto& b) { return a.priority < b.priority; });
    return static_cast<std::size_t>(largest - burst.transfers.begin());
  }
};

HEDDLE_POLICY(DmaArbiter, PriorityCopies, "priority",
              "the context with the largest priority, taking over at a burst boundary", "CUsched, Section I",
              {});

}  // namespace

}  // namespace heddle
