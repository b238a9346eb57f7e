#pragma once
// HostCores has the cores of the host's CPU, which the processes of a machine share. It is the operating
// system's scheduler: bookkeeping only.

#include <cstdint>
#include <set>
#include <utility>

namespace heddle {

class HostCores {
 public:
  explicit HostCores(std::uint32_t cores) : cores_(cores), free_(cores) {}

  bool are_shared() const { return cores_ != 0; }  // false: every process has a core of its own

  // Processes get cores in the order in which they ask, those that ask at the same time in the order of their
  // numbers. grant() is called later than ask(), so that all that ask at one time are known. It takes a core
  // for the process if one is free and no other process comes before it.
  void ask(std::uint64_t time, std::uint32_t process) { waiting_.insert({time, process}); }
  bool grant(std::uint64_t time, std::uint32_t process);
  void release() { ++free_; }
  bool is_wanted() const { return !waiting_.empty(); }
  // Returns whether a process waits that asked before `time`.
  bool is_wanted(std::uint64_t time) const { return !waiting_.empty() && waiting_.begin()->first < time; }

  void reset();

 private:
  const std::uint32_t cores_;
  std::uint32_t free_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> waiting_;  // (time, process)
};

}  // namespace heddle
