#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

namespace {

// A transfer keeps the DMA engine until it is complete (CUsched, Section II-A).
class FcfsCopies final : public DmaArbiter {
 public:
  explicit FcfsCopies(const PolicyParameters&) {}
  std::size_t choose(const BurstView&) override { return 0; }
};

HEDDLE_POLICY(DmaArbiter, FcfsCopies, "fcfs", "the oldest transfer runs to its end", "CUsched, Section II-A",
              {});

}  // namespace

}  // namespace heddle
