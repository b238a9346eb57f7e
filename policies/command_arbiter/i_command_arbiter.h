#pragma once
// Decision `command_arbiter`: which hardware queue's head command is dispatched. The dispatcher asks when a
// command reaches the head of its queue and when an engine has room for one more command.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

// The head command of one hardware queue.
struct QueueHeadView {
  QueueId queue;
  ContextId context;
  std::uint64_t arrival = 0;  // order in which commands reached the head of a queue
  // Whether its stream has no outstanding command, its engine has room and its event is recorded.
  bool ready = false;
};

struct FrontEndView {
  std::vector<QueueHeadView> heads;  // one for each queue with a command, in order of queue number
  std::uint64_t outstanding = 0;     // commands that are dispatched and not complete
  ContextId last_context;            // the context of the command dispatched last; none at first
};

class CommandArbiter : public Policy {
 public:
  static constexpr const char* kDecision = "command_arbiter";
  // Returns the index in view.heads of a head that is ready, or heads.size() to dispatch none now. view.heads
  // is not empty.
  virtual std::size_t choose(const FrontEndView& view) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(CommandArbiter);

}  // namespace heddle
