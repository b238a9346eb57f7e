#pragma once
// SubmittedCommands has the commands of all processes that the submitter has written to rings and that are
// not complete, by lane; SoftwareQueues says what a lane is. It is bookkeeping only. Times are picoseconds.

#include <cstdint>
#include <functional>
#include <vector>

#include "models/core/base/growing_ring.h"
#include "models/core/kernel/kernel.h"
#include "policies/submission/i_submission.h"

namespace heddle {

class SubmittedCommands {
 public:
  struct Entry {  // a command or a piece
    bool is_launch = false;
    bool has_own_word = false;  // it writes the word of its lane, and not the fence of its stream
    std::uint64_t value = 0;    // that it writes there
    std::uint32_t stream = 0;
    std::uint64_t submitted_ps = 0;
    KernelLaunch kernel;
    SubmittedLaunch launch;
  };

  void add_process(std::uint32_t lanes);
  void reset();  // nothing is submitted; the processes and their lanes stay

  std::uint32_t lanes(std::uint32_t process) const {
    return static_cast<std::uint32_t>(lanes_[process].size());
  }
  bool is_free(std::uint32_t process, std::uint32_t lane) const {
    return lanes_[process][lane].entries.empty();
  }
  // Returns the first free lane from this one on, or the number of lanes.
  std::uint32_t free_lane(std::uint32_t process, std::uint32_t from) const;
  // Returns the value that the next piece with the word of the lane writes there.
  std::uint64_t next_word(std::uint32_t process, std::uint32_t lane) { return ++lanes_[process][lane].words; }

  void push(std::uint32_t process, std::uint32_t lane, const Entry& entry);
  // Removes what is complete, and calls `completed` for each such command with the time from which it could
  // run on its lane. `fence` and `word` return what the GPU has written last for a lane. Returns whether any
  // was complete.
  using Read = std::function<std::uint64_t(std::uint32_t process, std::uint32_t lane)>;
  using Completed = std::function<void(std::uint32_t process, std::uint32_t lane, const Entry& entry,
                                       std::uint64_t from_ps)>;
  bool complete(std::uint64_t now, const Read& fence, const Read& word, const Completed& completed);

  // Returns the launch of the process that was submitted first, or an empty one.
  SubmittedLaunch oldest_launch(std::uint32_t process) const;

 private:
  struct Numbered {
    Entry entry;
    std::uint64_t number = 0;  // order of submission
  };
  struct Lane {
    GrowingRing<Numbered> entries;
    std::uint64_t words = 0;
    std::uint64_t done_ps = 0;  // the end of the last command that is complete
  };
  struct Busy {
    std::uint32_t process;
    std::uint32_t lane;
  };

  std::vector<std::vector<Lane>> lanes_;  // by process
  std::vector<Busy> busy_;                // lanes that are not free
  std::uint64_t submissions_ = 0;
};

}  // namespace heddle
