// Best-effort launches are cut into pieces of blocks that fit a turn-around budget (Tally, Zhao et al.,
// ASPLOS 2025; Pai et al., Elastic Kernels, ASPLOS 2013). A process is best effort if another open one has a
// higher priority.
//   - Commands of the other processes go whole and at once.
//   - A best-effort launch goes only while no other launch is on the GPU or can go there. Best-effort copies
//     and events always go.
//   - At most `pieces` best-effort pieces are on the GPU, and each has its share of the budget. A piece is
//     whole waves of blocks as long as its estimated time, the launch included, fits. It is at least one
//     wave: a block cannot be cut. A kernel whose time is not known yet goes wave by wave. Tally measures
//     kernels before it places them; here the first pieces are the measurement.
//   - The best-effort process that has had the least time so far goes first. The papers leave this open.

#include <algorithm>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

namespace {

class Slicing final : public Submission {
 public:
  explicit Slicing(const PolicyParameters& parameters)
      : pieces_(static_cast<std::uint32_t>(parameters["pieces"])),
        budget_ps_(static_cast<std::uint64_t>(parameters["budget"] * kPsPerUs) / pieces_) {}

  std::uint32_t concurrent_pieces() const override { return pieces_; }
  void reset() override { served_ps_.clear(); }

  SubmissionDecision decide(const SubmissionView& view) override {
    const std::optional<std::int32_t> top = top_priority(view);
    if (!top) return SubmissionDecision::none();
    const auto is_first = [&](const ProcessView& process) { return process.priority == *top; };
    const auto is_best_effort = [&](const ProcessView& process) { return process.priority != *top; };
    if (const auto head = oldest_of(view, is_first, any_head)) return head->submit();
    if (const auto head = oldest_of(view, is_best_effort, is_no_launch)) return head->submit();
    std::uint64_t on_gpu = 0;
    for (const ProcessView& process : view.processes) {
      if (is_first(process) && process.launches_in_flight > 0) return SubmissionDecision::none();
      on_gpu += process.launches_in_flight;
    }
    if (on_gpu >= pieces_) return SubmissionDecision::none();
    return submit_piece(view, *top);
  }

 private:
  SubmissionDecision submit_piece(const SubmissionView& view, std::int32_t top) {
    served_ps_.resize(view.processes.size());
    std::optional<Candidate> chosen;
    for (std::uint32_t i = 0; i < view.processes.size(); ++i) {
      if (view.processes[i].priority == top) continue;
      const std::optional<Candidate> launch = oldest_head(view, i, is_launch);
      if (launch && (!chosen || served_ps_[i] < served_ps_[chosen->process])) chosen = launch;
    }
    if (!chosen) return SubmissionDecision::none();
    const std::uint64_t blocks = piece_within(*chosen->head, budget_ps_);
    served_ps_[chosen->process] += std::max<std::uint64_t>(1, chosen->head->duration_ps(blocks));
    return chosen->submit(blocks);
  }

  const std::uint32_t pieces_;
  const std::uint64_t budget_ps_;         // of one piece
  std::vector<std::uint64_t> served_ps_;  // by process: estimated time of its best-effort pieces
};

HEDDLE_POLICY(Submission, Slicing, "slicing",
              "best-effort launches in pieces of blocks that fit a turn-around budget",
              "Zhao et al., Tally, ASPLOS 2025; Pai et al., Elastic Kernels, ASPLOS 2013",
              {{"budget", "us", 100, 0.001, 1e9,
                "most estimated time of best-effort pieces on the GPU; a guess"},
               {"pieces", "pieces", 1, 1, 16, "best-effort pieces on the GPU at once", true}});

}  // namespace

}  // namespace heddle
