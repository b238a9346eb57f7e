#pragma once
// The KernelLog counts launches, blocks and time by application and kernel, and keeps a record of each launch
// while it is in a KSR.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/stats/group.h"

namespace heddle {

// What a block throttle did with slices, summed over them; see ThrottleReport.
struct ThrottleSums {
  enum Field : std::uint8_t { kSlices, kSettled, kMost, kCaps, kSamples, kCycles, kCyclesToSettle };
  static constexpr std::size_t kFields = kCyclesToSettle + 1;
  std::array<std::uint64_t, kFields> values{};
  void add(const ThrottleReport& report);
};

// A launch as the execution engine saw it, in core cycles. What has not happened yet is empty.
struct LaunchRecord {
  std::string_view application;  // the names live as long as the log
  std::string_view kernel;
  KernelLaunch launch;
  KsrId ksr;
  Cycle loaded;                    // into its KSR
  std::optional<Cycle> activated;  // the launch latency was over
  std::optional<Cycle> started;    // its first block was issued
  std::optional<Cycle> ended;      // its last block was done
  bool is_halted = false;
  std::uint64_t blocks_issued = 0;
  std::uint64_t blocks_done = 0;
  SmWork work;  // instructions are 0 on timed SMs
};

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
    // Of a block throttle, as of the last update_throttle(); the fields are those of ThrottleSums.
    std::array<Counter, ThrottleSums::kFields> throttle;
    ThrottleSums left;       // of the slices that have left their SM
    ThrottleSums throttled;  // of these and of the slices that are there
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
  // Brings what a block throttle did up to the present. `present` has the slices that are on SMs, by KSR.
  void update_throttle(const std::vector<std::pair<KsrId, ThrottleReport>>& present);
  Group& stats() { return stats_; }
  // From now on `take` is called with the record of each launch that ends.
  void record(std::function<void(const LaunchRecord&)> take) { take_ = std::move(take); }
  // Calls `take` with the record of each launch in a KSR, by KSR, with the work of the last update_work().
  void visit_open(const std::function<void(const LaunchRecord&)>& take) const;
  void reset();  // The applications stay, with counters of zero.

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void slice_throttled(Cycle now, SmId sm, KsrId ksr, const ThrottleReport& report) override;
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;
  void block_dropped(Cycle now, KsrId ksr, BlockId block, const SmWork& work) override;

 private:
  void load(Cycle now, KsrId ksr, const KernelLaunch& launch);
  static void add_throttle_counters(Group& group, KernelCounters& kernel);
  struct Application {
    std::string name;
    std::vector<KernelCounters> kernels;
  };
  struct Open {  // the kernel in a KSR, or the last one
    KernelCounters* counters = nullptr;
    LaunchRecord record;
  };

  std::vector<std::unique_ptr<Application>> applications_;
  std::vector<Open> open_;
  std::vector<SmWork> reported_;  // by KSR: of blocks done since the reset
  std::vector<SmWork> counted_;   // by KSR: what its kernels' counters have, never less than that
  std::function<void(const LaunchRecord&)> take_;
  Group stats_{"applications"};
};

}  // namespace heddle
