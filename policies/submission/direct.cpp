// Commands go to the hardware queues in the order in which processes push them. A machine with this policy
// has no submitter, and its processes write to the rings themselves.

#include "policies/submission/contenders.h"

namespace heddle {

namespace {

class Direct final : public Submission {
 public:
  explicit Direct(const PolicyParameters&) {}

  SubmissionDecision decide(const SubmissionView& view) override {
    const auto oldest = oldest_of(
        view, [](const ProcessView&) { return true; }, any_head);
    return oldest ? oldest->submit() : SubmissionDecision::none();
  }
};

HEDDLE_POLICY(Submission, Direct, "direct", "commands go to the hardware queues at once",
              "CUsched, Section II-A", {});

}  // namespace

}  // namespace heddle
