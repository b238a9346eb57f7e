// Orion (Strati et al., EuroSys 2024, Section 5). The open processes with the highest priority submit at
// once. A launch of any other process, a best-effort one, goes in one of two cases:
//   - The first processes have no launch on the GPU. Those that can go there have gone before.
//   - It suits the oldest launch on the GPU of each first process: one is bound by compute and the other by
//     memory, and it fills fewer than `sm_threshold` SMs.
// In both cases the estimated time of best-effort launches on the GPU, itself included, stays below
// `duration` times the latency of a request of a first process. A launch of any length goes when no other
// best-effort launch is on the GPU. The paper measures the latency alone and ahead of the run; here it is
// that of the last request that ended, and before one has ended only one best-effort launch is on the GPU at
// once. `unknown` says how a kernel counts whose bound is not stated, which the paper finds for short
// kernels. Best-effort copies and events always go, oldest first, as do best-effort launches.

#include <algorithm>

#include "policies/submission/contenders.h"

namespace heddle {

namespace {

class Orion final : public Submission {
 public:
  explicit Orion(const PolicyParameters& parameters)
      : sm_threshold_(static_cast<std::uint64_t>(parameters["sm_threshold"])),
        duration_(parameters["duration"]),
        unknown_suits_(parameters.name("unknown") == "suits") {}

  SubmissionDecision decide(const SubmissionView& view) override {
    const std::optional<std::int32_t> top = top_priority(view);
    if (!top) return SubmissionDecision::none();
    const auto is_first = [&](const ProcessView& process) { return process.priority == *top; };
    const auto is_best_effort = [&](const ProcessView& process) { return process.priority != *top; };
    if (const auto head = oldest_of(view, is_first, any_head)) return head->submit();
    if (const auto head = oldest_of(view, is_best_effort, is_no_launch)) return head->submit();
    const auto head = oldest_of(view, is_best_effort, [&](const HeadView& launch) {
      return is_launch(launch) && fits_time(view, *top, launch) && fits_beside(view, *top, launch);
    });
    return head ? head->submit() : SubmissionDecision::none();
  }

 private:
  bool fits_time(const SubmissionView& view, std::int32_t top, const HeadView& launch) const {
    std::uint64_t on_gpu = 0;
    std::uint64_t on_gpu_ps = 0;
    std::uint64_t latency_ps = 0;  // the shortest request of a first process
    for (const ProcessView& process : view.processes) {
      if (process.priority == top) {
        if (process.latency_ps > 0 && (latency_ps == 0 || process.latency_ps < latency_ps))
          latency_ps = process.latency_ps;
        continue;
      }
      on_gpu += process.launches_in_flight;
      on_gpu_ps += process.in_flight_ps;
    }
    if (on_gpu == 0) return true;
    const std::uint64_t length_ps = launch.duration_ps(launch.blocks);
    return latency_ps > 0 && length_ps > 0 &&
           static_cast<double>(on_gpu_ps + length_ps) < duration_ * static_cast<double>(latency_ps);
  }

  bool fits_beside(const SubmissionView& view, std::int32_t top, const HeadView& launch) const {
    for (const ProcessView& process : view.processes) {
      if (process.priority != top || process.launches_in_flight == 0) continue;
      if (std::min<std::uint64_t>(launch.sms(), view.sms) >= sm_threshold_) return false;
      if (!suits(launch.bound, process.oldest.bound)) return false;
    }
    return true;
  }

  bool suits(KernelBound one, KernelBound other) const {
    if (one == KernelBound::kUnknown || other == KernelBound::kUnknown) return unknown_suits_;
    return one != other;
  }

  const std::uint64_t sm_threshold_;
  const double duration_;
  const bool unknown_suits_;
};

HEDDLE_POLICY(Submission, Orion, "orion",
              "best-effort launches beside first ones of the other bound, few SMs and short",
              "Strati et al., Orion, EuroSys 2024, Section 5",
              {{"sm_threshold", "SMs", 1024, 0, 1024,
                "a best-effort launch beside a first one fills fewer; the default is no limit", true},
               {"duration", "share", 0.025, 0, 1000000,
                "of a first request's latency that best-effort launches on the GPU may take"},
               {"unknown",
                "1",
                std::string("refused"),
                0,
                0,
                "a kernel whose bound is not stated beside any other",
                false,
                {"refused", "suits"}}});

}  // namespace

}  // namespace heddle
