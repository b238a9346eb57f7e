#pragma once
// Decision `command_arbiter`: which hardware queue's head command is dispatched. Asked when a command has
// come to a head or an engine can take one more.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

// The head command of one hardware queue.
struct QueueHeadView {
  QueueId queue;
  ContextId context;
  std::uint64_t arrival = 0;  // order in which commands came to a head
  bool ready = false;         // its stream has nothing outstanding, its engine has room, its event has come
};

struct FrontEndView {
  std::vector<QueueHeadView> heads;  // one per queue with a command, by queue number
  std::uint64_t outstanding = 0;     // commands dispatched and not complete
  ContextId last_context;            // of the command dispatched last; none at first
};

class CommandArbiter {
 public:
  static constexpr const char* kDecision = "command_arbiter";
  virtual ~CommandArbiter() = default;
  // An index into view.heads, which is not empty, of a head that is ready; or heads.size() for none yet.
  virtual std::size_t choose(const FrontEndView& view) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(CommandArbiter);

}  // namespace heddle
