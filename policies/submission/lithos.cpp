// This is the kernel atomizer of LithOS (Coppock et al., SOSP 2025). It cuts every launch into atoms, which
// are pieces of about the same duration, so that TPCs can change hands between them. The partitioner `lithos`
// gives each atom its TPCs.
//   - An atom is whole waves of blocks whose estimated time on the whole GPU is at most `atom`, and at least
//     one wave. On a part of the GPU it takes longer in proportion. A kernel whose time is not known yet goes
//     wave by wave.
//   - At most `outstanding` launches and atoms of a stream are on the GPU. With two of them one runs, and the
//     next one follows without a pause. An atom that is not on the GPU yet can still get other TPCs.
//   - The launch of the process with the highest priority goes first, and among equals the oldest launch.
//     Copies and events go at once.
// The paper predicts durations on different numbers of TPCs; here the estimate is that of the whole GPU.

#include <algorithm>

#include "policies/submission/contenders.h"

namespace heddle {

namespace {

class LithosAtoms final : public Submission {
 public:
  explicit LithosAtoms(const PolicyParameters& parameters)
      : atom_ps_(static_cast<std::uint64_t>(parameters["atom"] * kPsPerUs)),
        outstanding_(static_cast<std::uint64_t>(parameters["outstanding"])) {}

  SubmissionDecision decide(const SubmissionView& view) override {
    const auto goes = [this](const HeadView& head) {
      return is_no_launch(head) || head.launches_ahead < outstanding_;
    };
    std::optional<Candidate> chosen;
    for (std::uint32_t i = 0; i < view.processes.size(); ++i) {
      const std::optional<Candidate> head = oldest_head(view, i, goes);
      if (!head) continue;
      const std::int32_t priority = view.processes[i].priority;
      const std::int32_t best = chosen ? view.processes[chosen->process].priority : priority;
      if (!chosen || priority > best || (priority == best && head->head->arrival < chosen->head->arrival))
        chosen = head;
    }
    if (!chosen) return SubmissionDecision::none();
    return is_launch(*chosen->head) ? chosen->submit(piece_within(*chosen->head, atom_ps_))
                                    : chosen->submit();
  }

 private:
  const std::uint64_t atom_ps_;
  const std::uint64_t outstanding_;
};

HEDDLE_POLICY(Submission, LithosAtoms, "lithos", "launches of all processes in atoms of about one duration",
              "Coppock et al., LithOS, SOSP 2025, the kernel atomizer",
              {{"atom", "us", 500, 0.001, 1e9, "estimated time of an atom on the whole GPU; a guess"},
               {"outstanding", "launches", 2, 1, 1000, "of a stream on the GPU", true}});

}  // namespace

}  // namespace heddle
