#pragma once
// The ResultCalendar has the results that are due in the cycles to come, in the order in which they were
// booked. Their number is not limited. Another event of instructions, such as the last read of a register,
// can take the place of a result.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "models/core/base/ids.h"
#include "models/core/kernel/instruction.h"

namespace heddle {

class ResultCalendar {
 public:
  void reset() {
    days_ = 0;
    for (Day& day : due_) day.count = 0;
  }

  // `entry` is that of the UnitInstruction, 0 .. 65,535. The result is due in less than 2^32 cycles.
  [[gnu::always_inline]] void book(const Instruction& code, std::uint32_t warp, std::uint32_t entry,
                                   Cycle due) {
    Day& day = due_[due.value % kDays];
    if (day.count == day.room) make_room(day);
    day.results[day.count++] = {&code, static_cast<std::uint32_t>(due.value),
                                static_cast<std::uint16_t>(warp), static_cast<std::uint16_t>(entry)};
    days_ |= std::uint64_t{1} << due.value % kDays;
  }

  bool has(Cycle now) const { return (days_ >> now.value % kDays & 1) != 0; }
  // Calls done(warp, code, entry) for each result of the cycle `now`, for which has() is true. done() must
  // not add a result.
  template <class Done>
  void take(Cycle now, Done done) {
    Day& day = due_[now.value % kDays];
    Result* later = day.results.get();
    for (Result *result = later, *const end = later + day.count; result != end; ++result)
      if (result->due == static_cast<std::uint32_t>(now.value))
        done(result->warp, *result->code, result->entry);
      else
        *later++ = *result;
    day.count = static_cast<std::uint32_t>(later - day.results.get());
    if (day.count == 0) days_ &= ~(std::uint64_t{1} << now.value % kDays);
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
    std::uint32_t due;  // the lower bits of the cycle
    std::uint16_t warp;
    std::uint16_t entry;
  };
  struct Day {
    std::unique_ptr<Result[]> results;  // in the order in which they were booked; NOLINT: its size is `room`
    std::uint32_t count = 0;
    std::uint32_t room = 0;
  };

  [[gnu::noinline]] static void make_room(Day& day) {
    const std::uint32_t room = 2 * day.room + 4;
    std::unique_ptr<Result[]> results(new Result[room]);  // NOLINT
    std::copy_n(day.results.get(), day.count, results.get());
    day.results = std::move(results);
    day.room = room;
  }

  std::uint64_t days_ = 0;  // with results, by cycle mod kDays
  std::array<Day, kDays> due_;
};

}  // namespace heddle
