#pragma once
// Decision `dma_arbiter`: which transfer of a DMA engine sends the next PCIe burst. The DMA engine asks at
// every burst boundary while a transfer is unfinished.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

struct TransferView {
  std::uint64_t number = 0;  // order of arrival; unique
  ContextId context;
  std::int32_t priority = 0;     // the context's when the transfer was sent; a larger one goes first
  std::uint64_t bytes_left = 0;  // not yet requested
};

class DmaArbiter : public Policy {
 public:
  static constexpr const char* kDecision = "dma_arbiter";
  // `transfers` is not empty and in order of arrival. Returns an index into it.
  virtual std::size_t choose(const std::vector<TransferView>& transfers) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(DmaArbiter);

}  // namespace heddle
