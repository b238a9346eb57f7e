#pragma once
// What warp schedulers may ask of a warp, read from the warp table when one asks.

#include "models/sm/warp_table.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class WarpInspector final : public WarpViews {
 public:
  explicit WarpInspector(const WarpTable& table) : table_(table) {}  // it must live as long
  WarpView warp(std::uint32_t slot) const override;

 private:
  const WarpTable& table_;
};

}  // namespace heddle
