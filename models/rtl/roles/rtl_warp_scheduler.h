#pragma once
// The warp scheduler of one scheduler of an SM in RTL: the role warp_scheduler of rtl_role.cpp.

#include <memory>
#include <string>

#include "models/rtl/rtl_block.h"
#include "policies/warp_scheduler/age_order.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class RtlWarpScheduler final : public WarpScheduler {
 public:
  // `model` decides in shadow mode; it is null in replace mode. `warps` is the number of warp slots of the
  // SM.
  RtlWarpScheduler(RtlBlock& block, const std::string& path, std::uint32_t warps,
                   std::unique_ptr<WarpScheduler> model);

  std::uint32_t pick(const IssueView& view) override;
  void started(std::uint32_t slot, const WarpView& warp) override;
  void ended(std::uint32_t slot) override;
  void follow(std::uint32_t slot) override;
  void reset() override;

 private:
  void show(const IssueView& view);
  void show_ages();
  void show_warps(const IssueView& view);

  RtlChoice choice_;
  std::unique_ptr<WarpScheduler> model_;
  const RtlSignalId candidates_, live_, wait_long_, started_, ended_, ages_, kernels_, contexts_, operations_;
  const bool shows_warps_;
  AgeOrder order_;
  bool order_changed_ = true;
  std::uint64_t known_ = 0;  // slots whose warp the RTL knows
  std::uint64_t here_ = 0;   // slots with a warp
  std::uint64_t new_ = 0;    // of these, those that started since the last tick
  std::uint64_t gone_ = 0;   // of the known ones, those that ended since the last tick
};

}  // namespace heddle
