#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

namespace {

// A transfer keeps the DMA engine until it is complete (CUsched, Section II-A).
class Fcfs final : public DmaArbiter {
 public:
  explicit Fcfs(const PolicyParameters&) {}
  std::size_t choose(const BurstView&) override { return 0; }
};

HEDDLE_POLICY(DmaArbiter, Fcfs, "fcfs", "the oldest transfer runs to its end", "CUsched, Section II-A", {});

}  // namespace

}  // namespace heddle
