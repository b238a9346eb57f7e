#pragma once
// The phases of one server, such as prefill and decode of a language model, each a process of its own, on
// sets of SMs that are resized by deadlines. Multiplexing of phases on shares of the SMs is that of MuxServe
// (Duan et al., ICML 2024, Section 3); the goals of the phases, time to first token and time per token, are
// those of DistServe (Zhong et al., OSDI 2024). The papers choose shares ahead of a run or by profiles; this
// policy computes them as requests come.
//   - A process with a deadline needs the SMs on which its submitted and waiting launches would end in time,
//     if their speed grew with the number of SMs. SMs are given in the order of deadlines, and each process
//     with work gets `least`. SMs that nobody needs go in equal shares to the processes with work and no
//     deadline, or else to all with work.
//   - A process without work has no SMs. The split changes at most every `period`, and at once when a process
//     without SMs gets work.
//   - Each process has at most `bound` launches on the GPU, so that launches find the SMs of the present
//     split. Heads go in the order of deadlines, then of arrival.
// The policy wants the split by context (Submission::split()). The submitter writes it to the TOKENS
// registers, and the partitioner `token` gives each context so many SMs while all of them need theirs. An SM
// that a context does not need goes to another one, and is drained when it is needed.

#include <optional>
#include <string>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

class PdMux final : public Submission {
 public:
  explicit PdMux(const PolicyParameters& parameters);
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);
  SubmissionDecision decide(const SubmissionView& view) override;
  const std::vector<std::int32_t>* split() const override { return &split_; }
  void reset() override;

 private:
  bool is_due(const SubmissionView& view) const;
  void resize(const SubmissionView& view);
  std::int32_t need_of(const SubmissionView& view, const ProcessView& process) const;
  std::optional<Candidate> next_head(const SubmissionView& view) const;
  void give(std::uint32_t process, std::int32_t sms, std::int32_t& left);

  const std::uint64_t bound_;
  const std::int32_t least_;
  const std::uint64_t period_ps_;
  std::vector<std::int32_t> split_;  // SMs by context
  bool has_split_ = false;
  std::uint64_t resized_ps_ = 0;
  std::vector<std::uint32_t> working_;  // in the order of deadlines; valid within a call
};

}  // namespace heddle
