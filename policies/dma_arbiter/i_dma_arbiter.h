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

struct BurstView {
  const std::vector<TransferView>& transfers;  // not empty, in order of arrival
  Cycle now{};                                 // cycle of the PCIe clock
};

class DmaArbiter : public Policy {
 public:
  static constexpr const char* kDecision = "dma_arbiter";
  static constexpr bool kTakesRtl = true;
  // Returns an index into the transfers.
  virtual std::size_t choose(const BurstView& burst) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(DmaArbiter);

}  // namespace heddle
