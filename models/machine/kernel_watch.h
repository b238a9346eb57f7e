#pragma once
// A KernelWatch finds out whether the kernels of a process never end. It has them watched, see
// KernelProgram::watch(), while nothing else of the process goes on. Pure logic.

#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

class KernelWatch {
 public:
  // What a process has done so far. Whatever lets one of its kernels go on that waits for it changes
  // `events`: blocks and memory, commands of the process, copies.
  struct Progress {
    std::uint64_t events = 0;
    std::uint64_t blocks = 0;        // issued
    bool memory_may_change = false;  // the host computes, or copies are under way
  };

  // Returns whether the kernels, which are all that the process has in the machine, never end: since the last
  // check each of their warps has repeated itself or waited, and memory has not changed.
  bool check(const Progress& progress, const std::vector<KernelProgram*>& kernels);

 private:
  bool begins(const Progress& progress);

  bool is_watching_ = false;
  std::uint64_t events_ = 0;  // at the last begin or end of a watch
  std::uint64_t blocks_ = 0;
  // Checks from the end of a watch that has seen memory change to the next watch, and those that are left.
  std::uint32_t pause_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace heddle
