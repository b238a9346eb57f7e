// Each context has a set of SMs whose size software changes while kernels run. That is what masks of
// libsmctrl (Bakita and Anderson, RTAS 2023) allow, or green contexts that are exchanged. The size is the
// number in the context's TOKENS register, which a submission policy with a split writes.
//   - The set of the first context begins at SM 0, and each set begins where the set before it ends. Behind
//     the last SM the count goes on at SM 0, so that sets overlap if the sizes are more than all SMs in
//     sum. With two contexts only the SMs between the old and the new border change hands.
//   - A context with 0 tokens or less has no set and may use every SM.
//   - A change of size holds for blocks that are issued after it. A block that runs stays on its SM.

#include "policies/sm_partitioner/tenants/allowed_sms.h"

namespace heddle {

namespace {

class ResizedSets final : public AllowedSms {
 public:
  explicit ResizedSets(const PolicyParameters&) {}
  bool follows_tokens() const override { return true; }

  bool may_hold(const MachineView& machine, ContextId context, std::size_t sm) const override {
    const std::size_t sms = machine.sms.size();
    const std::size_t own = size_of(machine, context.value);
    if (own == 0 || own >= sms) return true;
    std::size_t first = 0;
    for (std::size_t before = 0; before < context.value; ++before) first += size_of(machine, before);
    return (sm + sms - first % sms) % sms < own;
  }

 private:
  static std::size_t size_of(const MachineView& machine, std::size_t context) {
    const std::int32_t tokens = machine.contexts[context].tokens;
    return tokens <= 0 ? 0 : static_cast<std::size_t>(tokens);
  }
};

HEDDLE_POLICY(SmPartitioner, ResizedSets, "resized-sets",
              "each context on as many SMs as its TOKENS register says, which software changes",
              "libsmctrl: Bakita and Anderson, RTAS 2023", {});

}  // namespace

}  // namespace heddle
