// Switching preempts a thread block at once: what the block holds is stored to swap space, and the block
// goes on later on any SM (Vijaykumar et al., Zorua, Section 8.2; the context switch of Tanasic et al., ISCA
// 2014).
//
// With `registers: live` a warp saves only the registers whose values it may still read where it stops (Lin
// et al., Enabling efficient preemption for SIMT architectures with lightweight context switching, SC 2016).
// That paper also compresses registers, which is not modelled.

#include <algorithm>

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Switch final : public Preemption {
 public:
  explicit Switch(const PolicyParameters& parameters) : is_live_(parameters.name("registers") == "live") {}
  bool answers(Handover way) const override { return way == Handover::kSwitch; }
  void decide(const HandoverView&, std::vector<Handover>& blocks) override {
    std::fill(blocks.begin(), blocks.end(), Handover::kSwitch);
  }
  bool saves_live_registers() const override { return is_live_; }

 private:
  const bool is_live_;
};

HEDDLE_POLICY(Preemption, Switch, "switch",
              "store the running blocks to swap space, and go on with them later",
              "Vijaykumar et al., Zorua, Section 8.2; Tanasic et al., ISCA 2014",
              {{"registers",
                "1",
                PolicyValue(std::string("all")),
                0,
                0,
                "of a warp that are saved: all that it holds, or those that it may still read",
                false,
                {"all", "live"}}});

}  // namespace

}  // namespace heddle
