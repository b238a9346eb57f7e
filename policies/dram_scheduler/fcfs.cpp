#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

namespace {

// The in-order baseline of Rixner et al.: no command is issued for a request while an older request waits.
class Fcfs final : public DramScheduler {
 public:
  explicit Fcfs(const PolicyParameters&) {}

  bool keep_row(const OpenRowView&) override { return false; }

  std::size_t choose(const CommandSlotView& slot) override {
    const std::size_t oldest = oldest_bank(slot.waiting, slot.arrival);
    const BankMask ready = slot.columns | slot.activates | slot.precharges;
    return (ready >> oldest & 1) != 0 ? oldest : kNone;
  }
};

HEDDLE_POLICY(DramScheduler, Fcfs, "fcfs", "one request after the other in order of arrival",
              "Rixner et al., ISCA 2000", {});

}  // namespace

}  // namespace heddle
