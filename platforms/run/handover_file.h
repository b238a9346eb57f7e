#pragma once
// A HandoverFile writes handovers.csv: a row for each slice that was preempted, when it has left its SM. A
// run without such a slice has no file.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "models/machine/machines.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

class HandoverFile final : public RunFile {
 public:
  HandoverFile(std::string path, Machines& machines);  // called before machines.run()
  void finish() override;

 private:
  class Watch : public EngineObserver {  // of one machine
   public:
    Watch(HandoverFile& file, const Machine& machine, std::size_t instance);
    void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
    void handed_over(Cycle now, SmId sm, KsrId ksr, HandoverWay way, std::uint64_t cycles) override;

   private:
    HandoverFile& file_;
    const Machine& machine_;
    const std::size_t instance_;
    std::vector<KernelLaunch> launches_;  // by KSR, the last one
  };

  const std::string path_;
  const bool is_split_;  // an instance has a column, whose SMs and launches these are
  OutputFile file_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::uint64_t rows_ = 0;
  fmt::memory_buffer row_;
};

}  // namespace heddle
