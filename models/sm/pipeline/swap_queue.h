#pragma once
// The SwapQueue holds the transfers between an SM and swap space until its load/store unit takes them, one a
// cycle.

#include <algorithm>
#include <deque>

#include "models/sm/pipeline/load_store_unit.h"
#include "models/sm/residence/sm_pipeline.h"

namespace heddle {

class SwapQueue {
 public:
  explicit SwapQueue(LoadStoreUnit& unit) : unit_(unit) {}
  void reset() { transfers_.clear(); }

  void push(const SwapAccess& access) { transfers_.push_back(access); }
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
  std::deque<SwapAccess> transfers_;
};

}  // namespace heddle
