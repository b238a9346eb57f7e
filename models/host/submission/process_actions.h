#pragma once
// ProcessActions holds the actions of host processes that the submission policy has not seen yet. An action
// takes effect after its time has passed, so that the order in which processes act at one time has no effect.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/base/batch_view.h"
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
  BatchView batch;          // kRequest: what a server of a language model does
};

class ProcessActions {
 public:
  // Adds an action without a command, and returns it. The reference is valid until the next call.
  ProcessAction& add(ProcessAction::Kind kind, std::uint64_t time_ps, std::uint32_t process,
                     std::int64_t value = 0) {
    ProcessAction& action = actions_.emplace_back();
    action.kind = kind;
    action.time_ps = time_ps;
    action.process = process;
    action.value = value;
    return action;
  }
  bool empty() const { return actions_.empty(); }
  void clear() { actions_.clear(); }

  // Removes the actions whose time is before `now_ps` and calls take(action) with each of them: in order of
  // time, at one time in order of the process's number, and for one process in the order in which they were
  // added. Returns whether actions remain.
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
