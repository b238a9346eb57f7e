#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

namespace {

class OldestFirst final : public CrossbarArbiter {
 public:
  explicit OldestFirst(const PolicyParameters&) {}

  std::uint32_t choose(const OutputView& view) override {
    return lowest_input(view.requests, [&](std::uint32_t input) { return view.issued[input]; });
  }
};

HEDDLE_POLICY(CrossbarArbiter, OldestFirst, "oldest-first",
              "the packet whose request was issued first, and among equals the lowest input",
              "Abts and Weisser, SC 2007 (age-based arbitration)", {});

}  // namespace

}  // namespace heddle
