#pragma once
// The KernelLog counts launches, blocks and time by application and kernel, and keeps a record of each launch
// while anything of it is in the machine.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/kernel/launch_counts.h"
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
  SmWork work;                    // instructions are 0 on timed SMs; what was lost is included
  SmWork lost;                    // the part of flushed blocks; `blocks` says how often one was flushed
  std::uint64_t lost_cycles = 0;  // see KernelLog::KernelCounters
  std::uint64_t held_time = 0;    // see KernelLog::KernelCounters
  LaunchCounts counts;            // of cycle SMs and the memory behind them, as of the last update()
};

class KernelLog : public EngineObserver {
 public:
  struct KernelCounters {
    std::string name;
    Counter launched;  // a launch in pieces counts once, with its first blocks
    Counter ended;     // and with its last blocks
    Counter pieces;    // whole launches and pieces of launches
    Counter pieces_ended;
    Counter blocks_issued;
    Counter blocks_done;
    Counter blocks_halted;  // the part of blocks_done that ended after a halt
    Counter warp_instructions;
    Counter thread_instructions;
    // Of blocks that were flushed: how many, the part of the instructions above, and the core cycles from the
    // issue of each to its leave, without those in swap space.
    Counter blocks_flushed;
    Counter lost_warp_instructions;
    Counter lost_thread_instructions;
    Counter lost_cycles;
    Counter cycles;       // from KSR load to the last block, summed over the launches that ended
    Counter wait_cycles;  // the part of cycles from the active queue to the first block
    // Time of SMs with a block of the kernel, in thousandths of a core cycle and summed over the SMs.
    // Launches that have blocks on an SM at the same time share it equally. As of the last account_until().
    Counter held_time;
    std::uint64_t held_by_closed = 0;  // the part of launches that are closed
    // Of a block throttle, as of the last update_throttle(); the fields are those of ThrottleSums.
    std::array<Counter, ThrottleSums::kFields> throttle;
    ThrottleSums left;       // of the slices that have left their SM
    ThrottleSums throttled;  // of these and of the slices that are there
  };

  explicit KernelLog(std::size_t ksrs) : loaded_(ksrs) {}

  // The application is that of context `contexts()`. Its launches have the tags 0 .. kernels - 1.
  // Where a block throttle is at work, what it does with their slices is counted. Where blocks may be
  // flushed, what is lost has statistics. Where launches may be cut into pieces, the pieces are counted, too.
  void add_application(const std::string& name, const std::vector<std::string>& kernels, bool is_throttled,
                       bool is_flushed = false, bool has_pieces = false);
  std::size_t contexts() const { return applications_.size(); }

  const std::vector<KernelCounters>& kernels(std::size_t context) const {
    return applications_[context]->kernels;
  }
  std::uint64_t blocks_issued(std::size_t context) const;
  // The core cycles up to `now` in which kernels of two KSRs or more were on the execution engine.
  std::uint64_t shared_cycles(Cycle now) const;
  // Brings the record of a launch up to the present. Its instructions are those of blocks that are on an SM
  // or whose end is not reported yet, too.
  void update(const KernelLaunch& launch, const LaunchCounts& counts);
  // Does so, and ends the record: nothing of the launch is left in the machine.
  void close(const KernelLaunch& launch, const LaunchCounts& counts);
  void account_until(Cycle now);  // brings the held times up to `now`
  // Brings what a block throttle did up to the present. `present` has the slices that are on SMs, by KSR.
  void update_throttle(const std::vector<std::pair<KsrId, ThrottleReport>>& present);
  Group& stats() { return stats_; }
  // Returns the name of the group of an application or a kernel. Dots separate the names in the path of a
  // statistic, so colons stand for them, which no application and no kernel has in its name.
  static std::string group_name(std::string name);
  // From now on `take` is called with the record of each launch when it is closed.
  void record(std::function<void(const LaunchRecord&)> take) { take_ = std::move(take); }
  // Calls `take` with each record that is not closed, as of the last update() and account_until().
  void visit_open(const std::function<void(const LaunchRecord&)>& take) const;
  void reset();  // The applications stay, with counters of zero.

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void slice_throttled(Cycle now, SmId sm, KsrId ksr, const ThrottleReport& report) override;
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;
  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work,
                     std::uint64_t cycles) override;
  void block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_dropped(Cycle now, KsrId ksr, BlockId block, const SmWork& work) override;

 private:
  void load(Cycle now, KsrId ksr, const KernelLaunch& launch);
  void count_resident(Cycle now, int change);
  static void add_flush_counters(Group& group, KernelCounters& kernel);
  static void add_throttle_counters(Group& group, KernelCounters& kernel);
  struct Application {
    std::string name;
    std::vector<KernelCounters> kernels;
  };
  struct Open {
    KernelCounters* counters = nullptr;  // null: closed, or not of an application of the log
    LaunchRecord record;
    SmWork reported;         // of blocks that are done or were flushed
    std::uint64_t held = 0;  // up to the last time at which the blocks on an SM changed
  };
  struct Loaded {  // the launch in a KSR, or the last one; it may be closed before its slices have left
    AccountId account;
    KernelCounters* counters = nullptr;
  };
  struct Share {
    AccountId account;
    std::uint32_t blocks = 0;
  };
  struct Sm {
    std::vector<Share> shares;  // the launches with a block there
    Cycle accounted{0};
  };

  Open& of(KsrId ksr) { return open_[loaded_[ksr.value].account.value]; }
  void end_block(KsrId ksr, const SmWork& work);
  void add_work(Open& open, const SmWork& issued);
  Sm& account(Cycle now, SmId sm);  // called before the blocks there change
  // What each launch on the SM has held since the blocks there changed.
  static std::uint64_t held_since(const Sm& sm, Cycle now);
  void come(Cycle now, SmId sm, KsrId ksr);
  void leave(Cycle now, SmId sm, KsrId ksr);

  std::vector<std::unique_ptr<Application>> applications_;
  std::vector<Open> open_;      // by account
  std::vector<Loaded> loaded_;  // by KSR
  std::vector<Sm> sms_;
  int resident_ = 0;                 // kernels on the engine
  Cycle resident_since_{0};          // when their number has changed last
  std::uint64_t shared_cycles_ = 0;  // with two of them or more, up to then
  std::function<void(const LaunchRecord&)> take_;
  Group stats_{"applications"};
};

}  // namespace heddle
