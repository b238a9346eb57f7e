#pragma once
// Decision `dram_scheduler`: which bank gets the command slot of a memory channel, and whether a bank goes on
// with its open row. Banks stand as bits of a mask, so that a decision costs by banks and not by requests.
//
// A controller serves reads and writes in turns; everything shown here is of the present direction. A bank's
// next request is the oldest one for its open row as long as the row is kept, else its oldest. From that
// follows its next command: column (read or write), activate, or precharge of the row in the way.

#include <cstddef>
#include <cstdint>

#include "policies/registry.h"

namespace heddle {

using BankMask = std::uint64_t;

// A bank with an open row that requests wait for, though its oldest request waits for another row.
struct OpenRowView {
  std::uint32_t bank = 0;
  std::uint32_t bypassed = 0;  // how often in a row younger requests for the row have gone before the oldest
};

// Banks whose next command is legal in this cycle, by kind; at least one. No bank is in two masks.
struct CommandSlotView {
  BankMask columns = 0;
  BankMask activates = 0;
  BankMask precharges = 0;
  BankMask waiting = 0;  // banks with a request, whether its command is legal now or not
  const std::uint64_t* arrival =
      nullptr;  // by bank of `waiting`: order of arrival of its next request; unique
};

class DramScheduler {
 public:
  static constexpr const char* kDecision = "dram_scheduler";
  static constexpr std::size_t kNone = ~std::size_t{0};
  virtual ~DramScheduler() = default;

  // Asked whenever something at the bank has changed: whether the row's requests go on before the oldest one.
  // A function of the view alone.
  virtual bool keep_row(const OpenRowView& row) = 0;

  // A bank of one of the three masks, or kNone to leave the slot empty. Over time every waiting bank must get
  // its turn.
  virtual std::size_t choose(const CommandSlotView& slot) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

// The bank of a mask, not empty, whose next request is the oldest.
inline std::size_t oldest_bank(BankMask banks, const std::uint64_t* arrival) {
  auto best = static_cast<std::size_t>(__builtin_ctzll(banks));
  for (banks &= banks - 1; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<std::size_t>(__builtin_ctzll(banks));
    if (arrival[bank] < arrival[best]) best = bank;
  }
  return best;
}

// First ready: column commands before row commands, the oldest first among either.
inline std::size_t first_ready(const CommandSlotView& slot) {
  return oldest_bank(slot.columns != 0 ? slot.columns : slot.activates | slot.precharges, slot.arrival);
}

HEDDLE_DECISION(DramScheduler);

}  // namespace heddle
