#pragma once
// A ProgressCheck finds out whether a run gets no further. Its calls follow each other in simulated time.

#include <cstdint>
#include <string>
#include <vector>

#include "models/engine/kernel_log.h"
#include "models/machine/kernel_watch.h"
#include "models/machine/machine_host.h"

namespace heddle {

class ProgressCheck {
 public:
  struct Deps {
    Gpu& gpu;
    const MachineHost& host;
    const KernelLog& log;
    const ProgramLibrary& programs;
    std::uint64_t starvation_limit_ps;
  };
  explicit ProgressCheck(const Deps& deps);

  // Returns why the run gets no further; empty: it goes on. No event is pending, or the kernels of a process
  // are shown to never end, or the processes in their first execution and the servers with a request have
  // issued no thread block for the starvation limit while none of them computed.
  std::string check();
  std::string places() const;  // see Machine
  void reset();                // a new run begins at the present time

 private:
  bool never_ends(std::size_t process);
  std::string starvation(bool has_progress);

  const Deps deps_;
  std::vector<KernelWatch> watches_;        // by process
  std::vector<std::uint64_t> blocks_seen_;  // by process, at the last check
  sc_core::sc_time progress_at_;
};

}  // namespace heddle
