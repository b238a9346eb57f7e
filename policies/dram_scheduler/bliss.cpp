#include <utility>

#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// The Blacklisting memory scheduler. A context of which `streak` requests in a row have been served is
// blacklisted, and its requests wait behind those of others, until all are forgiven every `clear` cycles.
class Bliss final : public RankedScheduler {
 public:
  explicit Bliss(const PolicyParameters& parameters)
      : most_(static_cast<std::uint32_t>(parameters["streak"])),
        interval_(static_cast<std::uint64_t>(parameters["clear"])),
        clear_at_(interval_) {}

  RequestPriority priority(std::uint32_t entry) const override {
    return {blacklisted_.at(request(entry).context), 0};
  }
  Cycle next_change() const override { return clear_at_; }

  void reset() override {
    RankedScheduler::reset();
    blacklisted_.clear();
    streak_ = 0;
    last_ = ContextId::none();
    clear_at_ = Cycle{interval_};
  }

 private:
  void add(const QueuedRequest& request) override { blacklisted_[request.context]; }
  void remove(const QueuedRequest& request, Cycle) override {
    streak_ = request.context == last_ ? streak_ + 1 : 1;
    last_ = request.context;
    if (streak_ < most_) return;
    streak_ = 0;
    if (std::exchange(blacklisted_[request.context], 1) == 0) changed();
  }

  void pass(Cycle now) override {
    if (now < clear_at_) return;
    clear_at_ = clear_at_ + ((now - clear_at_) / interval_ + 1) * interval_;
    changed();
    blacklisted_.fill(0);
  }

  const std::uint32_t most_;
  const std::uint64_t interval_;  // command clocks
  ContextTable<std::uint8_t> blacklisted_;
  std::uint32_t streak_ = 0;  // requests of `last_` that were served one after the other
  ContextId last_;
  Cycle clear_at_;
};

HEDDLE_POLICY(DramScheduler, Bliss, "bliss",
              "a context that was served several times in a row waits behind the others for a while",
              "Subramanian et al., ICCD 2014: Blacklisting memory scheduler",
              {{"streak", "requests", 4, 1, 1000000,
                "requests of a context in a row after which it is blacklisted", true},
               {"clear", "CK", 10000, 1, 1e12, "the time after which no context is blacklisted", true}});

}  // namespace

}  // namespace heddle
