#pragma once
// Priorities with a bound on the launches in flight: level 1 of XSched (Shen et al., OSDI 2025), which stops
// submission and lets what is in flight run out.
//   - The processes with the highest priority among those with work submit. All others are held. A process
//     has work while it has a command on the GPU or one that can go there.
//   - A process has at most `bound` launches in flight. Copies and events are not bounded.
//   - With `batch` above 1, a process that has reached the bound submits again when `batch` of its launches
//     are complete. The paper submits commands in batches; the default refills one by one.
//   - With `weights`, processes of equal priority share time in proportion. Each has a pass, the estimated
//     time of its launches over its weight (stride scheduling), and the one with the least pass submits next.
//     At its bound it waits, and its equals wait with it. A process that comes back to work starts at the
//     least pass of those that work, so that it gains nothing by its pause. The paper leaves the mechanism of
//     its shares open. A launch of unknown length counts as one microsecond.

#include <string>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

class InFlight final : public Submission {
 public:
  explicit InFlight(const PolicyParameters& parameters);
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);
  SubmissionDecision decide(const SubmissionView& view) override;
  void reset() override { processes_.clear(); }

 private:
  struct Process {
    double pass = 0;
    bool works = false;
    bool is_full = false;  // it has reached the bound, and a batch of its launches is not yet complete
  };

  void update(const SubmissionView& view);
  bool takes_launch(const SubmissionView& view, std::uint32_t process) const;
  double weight_of(std::uint32_t process) const;

  const std::uint64_t bound_;
  const std::uint64_t batch_;
  const std::vector<std::int64_t> weights_;  // by process in turn; empty: no shares
  std::vector<Process> processes_;
};

}  // namespace heddle
