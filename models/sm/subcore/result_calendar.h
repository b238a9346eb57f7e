#pragma once
// The ResultCalendar has the results that are due in the cycles to come, in the order in which they were
// booked. Their number is not limited. Another event of instructions, such as the last read of a register,
// can take the place of a result.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/instruction.h"

namespace heddle {

class ResultCalendar {
 public:
  void reset() {
    days_ = 0;
    for (std::vector<Result>& day : due_) day.clear();
  }

  // `entry` is that of the UnitInstruction.
  void book(const Instruction& code, std::uint32_t warp, std::uint32_t entry, Cycle due) {
    due_[due.value % kDays].push_back({&code, due, warp, entry});
    days_ |= std::uint64_t{1} << due.value % kDays;
  }

  bool has(Cycle now) const { return (days_ >> now.value % kDays & 1) != 0; }
  // Calls done(warp, code, entry) for each result of the cycle `now`, for which has() is true. done() must
  // not add a result.
  template <class Done>
  void take(Cycle now, Done done) {
    std::vector<Result>& day = due_[now.value % kDays];
    auto left = day.begin();
    for (const Result& result : day)
      if (result.due == now)
        done(result.warp, *result.code, result.entry);
      else
        *left++ = result;
    day.erase(left, day.end());
    if (day.empty()) days_ &= ~(std::uint64_t{1} << now.value % kDays);
  }

  // Returns a cycle after `now` up to which nothing is due, or never. It must be asked again then.
  Cycle next(Cycle now) const {
    if (days_ == 0) return Cycle::never();
    const std::uint32_t day = (now.value + 1) % kDays;
    const std::uint64_t to_come = days_ >> day | days_ << (-day % kDays);
    return now + 1 + static_cast<std::uint32_t>(__builtin_ctzll(to_come));
  }

 private:
  static constexpr std::uint32_t kDays = 64;  // one bit of `days_` for each
  struct Result {
    const Instruction* code;
    Cycle due;
    std::uint32_t warp;
    std::uint32_t entry;
  };

  std::uint64_t days_ = 0;  // with results, by cycle mod kDays
  std::array<std::vector<Result>, kDays> due_;
};

}  // namespace heddle
