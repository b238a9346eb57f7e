#pragma once
// The actions of host processes that the submission policy has not seen yet. What processes do at one time
// takes effect later than that time, so that the order within a time has no effect.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/kernel/messages.h"

namespace heddle {

struct ProcessAction {
  enum class Kind : std::uint8_t { kCommand, kPriority, kOpen, kRequest, kRequestEnd };
  Kind kind = Kind::kCommand;
  std::uint64_t time_ps = 0;
  std::uint32_t process = 0;
  std::int64_t value = 0;   // the priority; kOpen: 1 or 0; kRequest: the deadline in picoseconds, or 0
  Command command;          // kCommand: what it has pushed
  bool may_be_cut = false;  // kCommand: whether it is a launch that may run in pieces
};

class ProcessActions {
 public:
  void add(const ProcessAction& action) { actions_.push_back(action); }
  bool empty() const { return actions_.empty(); }
  void clear() { actions_.clear(); }

  // Calls take(action) for each action before `now_ps`, by their times and then by their processes. Those of
  // one process at one time stay in the order in which they were added. Returns whether some remain.
  template <class Take>
  bool settle(std::uint64_t now_ps, const Take& take) {
    if (actions_.empty()) return false;
    std::stable_sort(actions_.begin(), actions_.end(), [](const ProcessAction& a, const ProcessAction& b) {
      return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.process < b.process;
    });
    std::size_t taken = 0;
    for (; taken < actions_.size() && actions_[taken].time_ps < now_ps; ++taken) take(actions_[taken]);
    actions_.erase(actions_.begin(), actions_.begin() + static_cast<std::ptrdiff_t>(taken));
    return !actions_.empty();
  }

 private:
  std::vector<ProcessAction> actions_;
};

}  // namespace heddle
