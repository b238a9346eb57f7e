#pragma once
// The scheduler of one memory channel in RTL: the role dram_scheduler of rtl_role.cpp. The model's policy
// says whether an open row is kept, and ranks the requests of each bank if it does so.

#include <memory>
#include <string>
#include <vector>

#include "models/rtl/rtl_block.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

class RtlDramScheduler final : public DramScheduler {
 public:
  // `model` decides in shadow mode, and keep_row() always.
  RtlDramScheduler(RtlBlock& block, const std::string& path, std::uint32_t banks,
                   std::unique_ptr<DramScheduler> model);

  bool keep_row(const OpenRowView& row) override { return model_->keep_row(row); }
  std::size_t choose(const CommandSlotView& slot) override;
  RequestRanking* ranking() override { return model_->ranking(); }
  void reset() override;

 private:
  void show(const CommandSlotView& slot);

  RtlChoice choice_;
  std::unique_ptr<DramScheduler> model_;
  const RtlSignalId columns_, activates_, precharges_, waiting_, ages_;
  std::vector<std::uint32_t> by_age_;
};

}  // namespace heddle
