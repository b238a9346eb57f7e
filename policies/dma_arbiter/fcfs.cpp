#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

namespace {

// The engine's active context keeps it until its transfer is done (CUsched, Section II-A).
class Fcfs final : public DmaArbiter {
 public:
  explicit Fcfs(const PolicyParameters&) {}
  std::size_t choose(const std::vector<TransferView>&) override { return 0; }
};

HEDDLE_POLICY(DmaArbiter, Fcfs, "fcfs", "the oldest transfer runs to its end", "CUsched, Section II-A", {});

}  // namespace

}  // namespace heddle
