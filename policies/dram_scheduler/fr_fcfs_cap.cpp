#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

namespace {

// FR-FCFS with a cap: after `cap` younger requests for the open row, the bank serves its oldest request.
class FrFcfsCap final : public DramScheduler {
 public:
  explicit FrFcfsCap(const PolicyParameters& parameters)
      : cap_(static_cast<std::uint32_t>(parameters["cap"])) {}
  bool keep_row(const OpenRowView& row) override { return row.bypassed < cap_; }
  std::size_t choose(const CommandSlotView& slot) override { return first_ready(slot); }

 private:
  const std::uint32_t cap_;
};

HEDDLE_POLICY(DramScheduler, FrFcfsCap, "fr-fcfs-cap",
              "as fr-fcfs, but an open row goes before an older request of its bank only so often",
              "Mutlu and Moscibroda, MICRO 2007: FR-FCFS+Cap",
              {{"cap", "requests", 16, 1, 1000000, "most requests served before an older one of the bank",
                true}});

}  // namespace

}  // namespace heddle
