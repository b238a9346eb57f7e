#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

namespace {

class RoundRobin final : public CrossbarArbiter {
 public:
  explicit RoundRobin(const PolicyParameters&) {}

  std::uint32_t choose(const OutputView& view) override { return view.requests.first_from(next_); }
  void granted(std::uint32_t input) override { next_ = input + 1; }
  void reset() override { next_ = 0; }

 private:
  std::uint32_t next_ = 0;
};

HEDDLE_POLICY(CrossbarArbiter, RoundRobin, "round-robin", "the next input after the one that was served last",
              "GPGPU-Sim manual, interconnect", {});

}  // namespace

}  // namespace heddle
