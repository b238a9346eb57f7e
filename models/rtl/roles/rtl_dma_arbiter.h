#pragma once
// The arbiter of one DMA engine in RTL: the role dma_arbiter of rtl_role.cpp. The block sees as many
// transfers as a DMA engine holds.

#include <memory>
#include <string>

#include "models/rtl/rtl_block.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

class RtlDmaArbiter final : public DmaArbiter {
 public:
  // `model` decides in shadow mode; it is null in replace mode.
  RtlDmaArbiter(RtlBlock& block, const std::string& path, std::uint32_t transfers,
                std::unique_ptr<DmaArbiter> model);

  std::size_t choose(const BurstView& burst) override;
  void reset() override;

 private:
  void show(const BurstView& burst);

  RtlChoice choice_;
  std::unique_ptr<DmaArbiter> model_;
  const RtlSignalId transfers_, priorities_, contexts_, bytes_;
};

}  // namespace heddle
