#pragma once
// The WarpInspector answers the warp schedulers' questions about a warp. It reads the tables when a scheduler
// calls it.

#include "models/sm/pipeline/issue_table.h"
#include "models/sm/residence/resident_table.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class WarpInspector final : public WarpViews {
 public:
  // Both tables must outlive the inspector.
  WarpInspector(const IssueTable& table, const ResidentTable& resident)
      : table_(table), resident_(resident) {}
  WarpView warp(std::uint32_t slot) const override;

 private:
  const IssueTable& table_;
  const ResidentTable& resident_;
};

}  // namespace heddle
