#pragma once
// `heddle bench --threads`: what one run gains from several threads of the host, and what it could gain.
//
// The work that SMs, L2 slices and channels do at the same time is measured on one thread, block by block and
// cycle by cycle. With n threads a cycle takes as long as the work of the thread that has most of it, and all
// else of the run takes as long as before. So the limit is what the imbalance of the blocks and the rest of
// the machine leave, and what it costs to start the threads and to wait for the last of them in each cycle.
// Neither the time to move data between cores nor the caches of more cores are in it.

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/core/time/clock_domain.h"

namespace heddle {

constexpr std::array<unsigned, 4> kThreadsOfLimits{2, 4, 8, 16};

// A WorkMeter that adds up what a run would take with several threads.
class SpeedUpMeter : public WorkMeter {
 public:
  // `clock` returns the time in nanoseconds, and `clock_ns` is what a call of it takes.
  SpeedUpMeter(double (*clock)(), double clock_ns) : clock_(clock), clock_ns_(clock_ns) {}

  void begin_cycle() override;
  void end_block(std::size_t block) override;
  void end_cycle(std::size_t blocks) override;

  std::uint64_t cycles() const { return cycles_; }  // in which blocks worked
  double work_ns() const { return work_ns_; }       // of all blocks
  double clocks_ns() const { return clocks_ns_; }   // what measuring took
  // The time of the run with each number of threads, when it took `run_ns` on one without measuring, and when
  // it takes `sync_ns` in each cycle to start the threads and to wait for all of them.
  std::array<double, kThreadsOfLimits.size()> run_ns(double run_ns, double sync_ns) const;

 private:
  double (*clock_)();
  double clock_ns_;
  double begun_ = 0;
  std::vector<std::pair<std::size_t, double>> worked_;  // in this cycle: block, nanoseconds
  std::array<double, kThreadsOfLimits.size()> longest_ns_{};
  std::vector<double> of_thread_;
  std::uint64_t cycles_ = 0;
  double work_ns_ = 0;
  double clocks_ns_ = 0;
};

// Measures each case `repetitions` times and prints the medians, as a table or as one JSON object.
void bench_threads(std::size_t repetitions, bool json, std::ostream& out);

}  // namespace heddle
