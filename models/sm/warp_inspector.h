#pragma once
// The WarpInspector answers the warp schedulers' questions about a warp. It reads the warp table when a
// scheduler calls it.

#include "models/sm/warp_table.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class WarpInspector final : public WarpViews {
 public:
  explicit WarpInspector(const WarpTable& table) : table_(table) {}  // `table` must outlive the inspector
  WarpView warp(std::uint32_t slot) const override;

 private:
  const WarpTable& table_;
};

}  // namespace heddle
