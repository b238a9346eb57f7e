#pragma once
// Decision `dram_scheduler`: which bank gets the command slot of a memory channel, and whether a bank goes on
// serving its open row. A bank is a bit of a mask, so the time of a decision grows with banks and not with
// requests.
//
// A controller serves reads and writes in turns, and the views hold requests of the current direction only.
// The next request of a bank is the oldest one for its open row while the row is kept, and else its oldest
// request. The next request decides the bank's next command: column (read or write), activate, or precharge
// of another open row. A policy that ranks requests states the order itself (request_ranking.h).

#include <cstddef>
#include <cstdint>

#include "models/core/base/ids.h"
#include "policies/dram_scheduler/request_ranking.h"
#include "policies/registry.h"

namespace heddle {

using BankMask = std::uint64_t;

// A bank whose open row has waiting requests while its oldest request waits for another row.
struct OpenRowView {
  std::uint32_t bank = 0;
  std::uint32_t bypassed = 0;  // younger requests for the row that were served since the oldest one waits
};

// The banks whose next command is legal in this cycle, by kind of command. At least one bank is in a mask,
// and no bank is in two of the first three masks.
struct CommandSlotView {
  BankMask columns = 0;
  BankMask activates = 0;
  BankMask precharges = 0;
  BankMask waiting = 0;  // all banks with a request, whether or not its command is legal now
  const std::uint64_t* arrival =
      nullptr;  // by bank of `waiting`: order of arrival of its next request; unique
  Cycle now{};  // command clock
  const RequestPriority* priority = nullptr;  // by bank of `waiting`, if the policy ranks; null: it does not
};

class DramScheduler : public Policy {
 public:
  static constexpr const char* kDecision = "dram_scheduler";
  static constexpr bool kTakesRtl = true;
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_dram; }
  static constexpr const char* kNeeds = "a dram section";

  static constexpr std::size_t kNone = ~std::size_t{0};

  // Whether requests for the open row are served before the bank's oldest request. The controller asks
  // whenever the requests or the row of the bank have changed. The answer depends on the view alone.
  virtual bool keep_row(const OpenRowView& row) = 0;

  // Returns a bank of one of the first three masks, or kNone to leave the slot empty. Every waiting bank must
  // be chosen in finite time.
  virtual std::size_t choose(const CommandSlotView& slot) = 0;

  // The ranking of a policy that ranks requests, which lives as long as the policy. Null: the policy does
  // not rank, and the controller does nothing for it.
  virtual RequestRanking* ranking() { return nullptr; }

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

// The bank whose next request is the oldest of all banks in the mask, which is not empty.
inline std::size_t oldest_bank(BankMask banks, const std::uint64_t* arrival) {
  auto best = static_cast<std::size_t>(__builtin_ctzll(banks));
  for (banks &= banks - 1; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::size_t>(__builtin_ctzll(banks));
    if (arrival[bank] < arrival[best]) best = bank;
  }
  return best;
}

// First ready: column commands go before row commands, and within each kind the oldest request goes first.
inline std::size_t first_ready(const CommandSlotView& slot) {
  return oldest_bank(slot.columns != 0 ? slot.columns : slot.activates | slot.precharges, slot.arrival);
}

HEDDLE_DECISION(DramScheduler);

}  // namespace heddle
