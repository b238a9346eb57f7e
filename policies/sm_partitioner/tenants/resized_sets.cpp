// Sets of SMs that software resizes while kernels run, as masks of libsmctrl (Bakita and Anderson, RTAS 2023)
// or green contexts that are exchanged. A context has as many SMs as its TOKENS register says; a submission
// policy with a split writes it.
//   - The sets follow each other from SM 0 on, in the order of the contexts and in a circle: they overlap
//   only
//     where the registers ask for more than all SMs. With two contexts only the SMs between the old and the
//     new border change hands.
//   - A context with 0 tokens or less has no set and may use every SM.
//   - A change takes effect at the next block. Blocks that are on an SM stay there to their end.
//   - On an SM that several contexts may use, their kernels share it as under `left-over`.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class ResizedSets final : public SmPartitioner {
 public:
  explicit ResizedSets(const PolicyParameters&) {}
  void partition(const MachineView& machine, Partition& partition) override {
    share_allowed_sms(*this, machine, partition);
  }
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool honours_sm_sets() const override { return true; }
  bool turns_by_context() const override { return true; }
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
