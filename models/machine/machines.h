#pragma once
// The machines of a run in one simulation: one, or one for each instance of a split GPU. The run ends when
// every machine is done.
//
//   Machines machines(spec);
//   machines.run(progress);
//   if (!machines.failure().empty()) ...

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/host/link_turns.h"
#include "models/machine/machine.h"

namespace heddle {

class Machines {
 public:
  explicit Machines(const MachineSpec& spec, const GpuOptions& options = {});

  // Simulates until the run has ended, or until the core cycle `end` is about to begin, and calls `progress`
  // about once in a millisecond of simulated time.
  void run(const std::function<void()>& progress = {}, Cycle end = Cycle::never());
  void poll_every(std::uint64_t cycles, std::function<void()> poll) {  // see RunLoop
    loop_->poll_every(cycles, std::move(poll));
  }
  void sample_every(std::uint64_t cycles, std::function<void()> sample) {
    loop_->sample_every(cycles, std::move(sample));
  }

  const MachineSpec& spec() const { return spec_; }  // of the GPU before it is split
  bool is_split() const { return is_split_; }
  std::size_t count() const { return machines_.size(); }
  Machine& operator[](std::size_t instance) { return *machines_[instance]; }
  const Machine& operator[](std::size_t instance) const { return *machines_[instance]; }
  // The number in `spec()` of a process of an instance.
  std::size_t process_of(std::size_t instance, std::size_t process) const {
    return processes_[instance][process];
  }
  const ClockDomain& core() const { return machines_.front()->gpu().core(); }  // all have the same
  bool has_servers() const { return machines_.front()->has_servers(); }

  bool done() const;
  std::string places() const;   // of the warps of all machines; see Machine
  std::string failure() const;  // of the first machine that has failed, with the name of its instance
  // Of all machines, accounted up to the present. Those of an instance are in a group of its name.
  const Group& stats();
  // Returns the patterns with which the statistics of stats() are chosen. A pattern that names a statistic of
  // one GPU chooses this statistic of every instance if the GPU is split.
  std::vector<std::string> patterns_of(std::vector<std::string> patterns) const;
  void check_conservation();  // see Machine

 private:
  const MachineSpec spec_;
  bool is_split_ = false;
  LinkTurns link_turns_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<std::vector<std::size_t>> processes_;  // by instance and by number there: the number in spec()
  std::unique_ptr<RunLoop> loop_;
  Group stats_{""};
};

}  // namespace heddle
