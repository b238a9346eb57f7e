#pragma once
// ProcessResults has what the processes of a machine have come to, and what they had done when a process was
// halted first.

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/machine/machine_host.h"

namespace heddle {

struct ProcessResult {
  std::string application;
  std::uint64_t turnaround_ps = 0;  // of the first execution, or a server's; 0 if it has not ended
  std::uint64_t completions = 0;
  std::uint64_t bytes_copied = 0;
  std::uint64_t kernels_launched = 0;
  std::uint64_t warp_instructions = 0;  // issued up to the present
  // From the first start of the process until a process was halted first: the time, and the warp instructions
  // that this process issued. Both are 0 before.
  std::uint64_t shared_ps = 0;
  std::uint64_t shared_instructions = 0;
  std::uint64_t present_ps = 0;  // since the first start
};

class ProcessResults {
 public:
  ProcessResults(const Gpu& gpu, const MachineHost& host) : gpu_(gpu), host_(host) {}

  // A process is halted now. Returns whether it is the first one: count_shared() then follows just after this
  // time, so that the order in which the SMs issue within a cycle has no effect.
  bool halt();
  void count_shared();
  std::vector<ProcessResult> results() const;
  void reset();

 private:
  const Gpu& gpu_;
  const MachineHost& host_;
  sc_core::sc_time first_halt_;                     // zero before the first halt
  std::vector<std::uint64_t> shared_instructions_;  // by process; empty before count_shared()
};

}  // namespace heddle
