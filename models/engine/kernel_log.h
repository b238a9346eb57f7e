#pragma once
// The KernelLog counts launches, blocks and time by application and kernel.

#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/stats/group.h"

namespace heddle {

class KernelLog : public EngineObserver {
 public:
  struct KernelCounters {
    std::string name;
    Counter launched;
    Counter ended;
    Counter blocks_issued;
    Counter blocks_done;
    Counter blocks_halted;  // the part of blocks_done that ended after a halt
    Counter warp_instructions;
    Counter thread_instructions;
    Counter cycles;       // from KSR load to the last block, summed over the launches that ended
    Counter wait_cycles;  // the part of cycles from the active queue to the first block
    // Of a block throttle, summed over the slices that have left their SM; see ThrottleReport.
    Counter slices;
    Counter settled_slices;
    Counter most_blocks;
    Counter caps;
    Counter samples;
    Counter slice_cycles;
    Counter cycles_to_settle;
  };

  explicit KernelLog(std::size_t ksrs) : open_(ksrs), reported_(ksrs), counted_(ksrs) {}

  // The application is that of context `contexts()`. Its launches have the tags 0 .. kernels - 1.
  // Where a block throttle is at work, what it does with their slices is counted.
  void add_application(const std::string& name, const std::vector<std::string>& kernels, bool is_throttled);
  std::size_t contexts() const { return applications_.size(); }

  const std::vector<KernelCounters>& kernels(std::size_t context) const {
    return applications_[context]->kernels;
  }
  std::uint64_t blocks_issued(std::size_t context) const;
  // Brings the instructions of the KSR's kernel up to the present. `issued` is the work of all blocks of the
  // KSR since the reset, with that of blocks that are on an SM or whose end is not reported yet: all of those
  // are of the kernel that the KSR holds.
  void update_work(KsrId ksr, const SmWork& issued);
  Group& stats() { return stats_; }
  void reset();  // The applications stay, with counters of zero.

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void slice_throttled(Cycle now, SmId sm, KsrId ksr, const ThrottleReport& report) override;
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;

 private:
  static void add_throttle_counters(Group& group, KernelCounters& kernel);
  struct Application {
    std::vector<KernelCounters> kernels;
  };
  struct Open {  // the kernel in a KSR
    KernelCounters* counters = nullptr;
    Cycle loaded;
    Cycle activated;
    bool started = false;
    bool halted = false;
  };

  std::vector<std::unique_ptr<Application>> applications_;
  std::vector<Open> open_;
  std::vector<SmWork> reported_;  // by KSR: of blocks done since the reset
  std::vector<SmWork> counted_;   // by KSR: what its kernels' counters have, never less than that
  Group stats_{"applications"};
};

}  // namespace heddle
