#pragma once
// An EngineRecorder records every transition of KSRs and SMSR slices as a line of text, in the order of
// notification.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/core/kernel/observer.h"

namespace heddle::test {

class EngineRecorder : public EngineObserver {
 public:
  struct KernelTimes {
    Cycle loaded, activated, ended;
  };
  std::vector<std::string> lines;    // each line is "<cycle> <event>"
  std::vector<KernelTimes> kernels;  // by kernel number
  std::vector<std::uint32_t> sm_of;  // the SM of each block, in order of issue
  std::vector<Cycle> issued_at;
  std::vector<Cycle> done_at;

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override {
    static constexpr const char* kNames[] = {"loaded", "activated", "halted", "ended"};
    lines.push_back(fmt::format("{} ksr{} {}", now.value, ksr.value, kNames[static_cast<int>(event)]));
    if (kernels.size() <= launch.kernel.value) kernels.resize(launch.kernel.value + 1);
    KernelTimes& times = kernels[launch.kernel.value];
    (event == KernelEvent::kLoaded      ? times.loaded
     : event == KernelEvent::kActivated ? times.activated
                                        : times.ended) = now;
  }
  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    static constexpr const char* kNames[] = {"reserved", "set up", "running", "leaving", "returned", "freed"};
    lines.push_back(
        fmt::format("{} sm{} ksr{} {}", now.value, sm.value, ksr.value, kNames[static_cast<int>(event)]));
  }
  void block_issued(Cycle now, SmId sm, KsrId, BlockId) override {
    sm_of.push_back(sm.value);
    issued_at.push_back(now);
  }
  void block_done(Cycle now, SmId, KsrId, BlockId, const SmWork&) override { done_at.push_back(now); }
};

}  // namespace heddle::test
