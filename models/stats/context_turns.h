#pragma once
// ContextTurns count by context what a block serves while things of several contexts wait for it, such as a
// memory controller its requests. Each of the first kContexts contexts has a group below the group
// "contexts" of the block. The group "others" has the counters of all later contexts, and of things whose
// context is not known.

#include <array>
#include <cstdint>

#include "models/core/base/ids.h"
#include "models/stats/group.h"

namespace heddle {

class ContextTurns {
 public:
  static constexpr std::uint32_t kContexts = 8;

  struct Statistic {
    const char* name = nullptr;  // null: the block does not have this statistic
    const char* unit = nullptr;
    const char* description = nullptr;
  };
  // The words of the block for its statistics.
  struct Words {
    Statistic served;             // how many things were served
    Statistic size;               // the sum of their sizes
    const char* clock = nullptr;  // the unit of time
    const char* wait = nullptr;   // what the wait of a thing is
    const char* preferred = nullptr;
    const char* deferred = nullptr;
  };

  ContextTurns(Group& block, const Words& words);

  // A thing of the context is served after a wait of so many cycles. `oldest` is the context of the thing
  // that has waited longest, which is the same one if nothing was passed over.
  void served(ContextId context, ContextId oldest, std::uint64_t wait, std::uint64_t size = 1);

 private:
  struct Counters {
    Counter served, size, wait, preferred, deferred;
  };
  Counters& of(ContextId context) { return contexts_[context.value < kContexts ? context.value : kContexts]; }

  std::array<Counters, kContexts + 1> contexts_;
};

}  // namespace heddle
