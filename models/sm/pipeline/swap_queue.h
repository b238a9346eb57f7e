#pragma once
// The SwapQueue holds the transfers between an SM and swap space until its load/store unit takes them, one a
// cycle. A warp waits for the transfers that load its data.

#include <algorithm>
#include <deque>

#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/load_store_unit.h"
#include "models/sm/residence/sm_pipeline.h"

namespace heddle {

class SwapQueue {
 public:
  // Both arguments must outlive the queue.
  SwapQueue(LoadStoreUnit& unit, IssueTable& table) : unit_(unit), table_(table) {}
  void reset() { transfers_.clear(); }

  void push(const SwapAccess& access) {
    transfers_.push_back(access);
    const std::uint32_t slot = access.owner.warp;
    IssueWarp& warp = table_.warps[slot];
    if (access.is_saved) {
      ++warp.in_flight;
    } else if (access.transfer.is_load) {
      ++warp.swap_loads;
      ++warp.in_flight;
      if ((table_.next.buffered & bit(slot)) != 0) table_.next.wait_memory |= bit(slot);
    }
  }
  bool empty() const { return transfers_.empty(); }
  bool holds(AccountId account) const {  // whether a transfer of the launch waits
    return std::any_of(transfers_.begin(), transfers_.end(),
                       [account](const SwapAccess& access) { return access.owner.account == account; });
  }

  // Returns whether there is a transfer and the load/store unit has room for it. step() then hands the oldest
  // one over.
  bool can_step() const { return !empty() && unit_.has_room() && unit_.addresses().has_entry(); }
  void step(Cycle now) {
    const SwapAccess& access = transfers_.front();
    const SwapTransfer& transfer = access.transfer;
    const std::uint32_t lines = transfer.bytes / kLineBytes;
    AddressUnit& addresses = unit_.addresses();
    unit_.enter(access.is_saved
                    ? addresses.prepare_saved(transfer.is_load, transfer.address, lines, access.owner, now)
                    : addresses.prepare_swap(transfer.is_load, transfer.address, lines, access.owner, now),
                now);
    transfers_.pop_front();
  }

 private:
  LoadStoreUnit& unit_;
  IssueTable& table_;
  std::deque<SwapAccess> transfers_;
};

}  // namespace heddle
