#pragma once
// A HandoverFile writes handovers.csv: a row for each slice that was preempted, when it has left its SM. A
// run without such a slice has no file.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/machine/machine.h"
#include "platforms/run/output.h"

namespace heddle {

class HandoverFile : private EngineObserver {
 public:
  HandoverFile(std::string path, Machine& machine);  // called before machine.run()
  void finish();                                     // throws OutputError if the file is not complete

 private:
  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void handed_over(Cycle now, SmId sm, KsrId ksr, HandoverWay way, std::uint64_t cycles) override;

  const std::string path_;
  const Machine& machine_;
  OutputFile file_;
  std::vector<KernelLaunch> launches_;  // by KSR, the last one
  std::uint64_t rows_ = 0;
  fmt::memory_buffer row_;
};

}  // namespace heddle
