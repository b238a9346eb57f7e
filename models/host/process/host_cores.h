#pragma once
// HostCores has the cores of the host's CPU, which the processes of a machine share. It is the operating
// system's scheduler: bookkeeping only. Times are integers of one unit.
//
// Processes get cores in the order in which they ask, those that ask at the same time in the order of their
// numbers. A process whose time slice has ended loses its core when another process waits. What happens at
// one time takes effect later than that time, so that the order within a time has no effect.

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace heddle {

class HostCores {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // A `slice` of 0 does not end.
  HostCores(std::uint32_t cores, std::uint64_t slice) : cores_(cores), slice_(slice), free_(cores) {}

  bool are_shared() const { return cores_ != 0; }  // false: every process has a core of its own
  bool have_slices() const { return slice_ != 0; }

  void ask(std::uint64_t now, std::uint32_t process) { changes_.insert({now, true, process}); }
  void release(std::uint64_t now, std::uint32_t process) { changes_.insert({now, false, process}); }

  // Takes the decisions that are due up to `now`, of what was asked and released before. It is called at each
  // time that follows a change, and at the end of each slice while a process waits. Further calls at the same
  // time change nothing.
  void settle(std::uint64_t now);
  // The state after the last settle().
  bool is_running(std::uint32_t process) const { return ends_.count(process) != 0; }
  bool is_wanted() const { return !waiting_.empty(); }
  std::uint64_t slice_end(std::uint32_t process) const { return ends_.at(process); }  // of one that runs
  std::uint64_t next_slice_end() const { return running_.empty() ? kNever : running_.begin()->first; }

  void reset();

 private:
  void start_waiting(std::uint64_t now);
  void stop(std::uint32_t process);

  const std::uint32_t cores_;
  const std::uint64_t slice_;
  std::uint32_t free_;
  std::set<std::tuple<std::uint64_t, bool, std::uint32_t>> changes_;  // (time, asks, process)
  std::set<std::pair<std::uint64_t, std::uint32_t>> waiting_;         // (time, process)
  std::set<std::pair<std::uint64_t, std::uint32_t>> running_;         // (end of the slice, process)
  std::map<std::uint32_t, std::uint64_t> ends_;                       // the same by process
};

}  // namespace heddle
