#include "models/machine/process_results.h"

#include <algorithm>
#include <utility>

#include "models/core/time/picoseconds.h"

namespace heddle {

bool ProcessResults::halt() {
  if (first_halt_ != sc_core::SC_ZERO_TIME) return false;
  first_halt_ = sc_core::sc_time_stamp();
  return true;
}

void ProcessResults::count_shared() {
  for (std::uint32_t i = 0; i < host_.processes(); ++i)
    shared_instructions_.push_back(gpu_.instructions(ContextId{i}));
}

void ProcessResults::reset() {
  first_halt_ = sc_core::SC_ZERO_TIME;
  shared_instructions_.clear();
}

std::vector<ProcessResult> ProcessResults::results() const {
  std::vector<ProcessResult> results;
  for (std::uint32_t i = 0; i < host_.processes(); ++i) {
    const HostProcess& process = host_.process(i);
    const sc_core::sc_time start = process.first_start();
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    ProcessResult result;
    result.application = process.spec().program.name;
    if (process.has_finished()) result.turnaround_ps = to_ps(process.first_end() - start);
    result.completions = process.completions();
    result.bytes_copied = process.bytes_copied();
    result.kernels_launched = process.kernels_launched();
    result.warp_instructions = gpu_.instructions(ContextId{i});
    result.present_ps = to_ps(now - std::min(start, now));
    if (first_halt_ > start) {
      // A run may end at the time of the first halt, before the instructions have been counted.
      result.shared_ps = to_ps(first_halt_ - start);
      result.shared_instructions =
          shared_instructions_.empty() ? result.warp_instructions : shared_instructions_[i];
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace heddle
