#include <algorithm>

#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// This policy limits the bandwidth of each context. Time is divided into windows. In a window the data of a
// context may occupy the data bus for a share of the window, its limit. If the last burst exceeds the limit,
// the excess counts in the next window. When a context has used its limit, its further requests wait until
// the next window (`hold`) or go behind the requests of all other contexts (`last`). Among the other requests
// row hits go first, and then the oldest request.
class BandwidthLimits final : public RankedScheduler {
 public:
  explicit BandwidthLimits(const PolicyParameters& parameters)
      : limits_(parameters, kLimits, kAllOfIt),
        window_(static_cast<std::uint64_t>(parameters["window"])),
        beyond_(parameters.name("beyond") == "hold" ? RequestPriority::kHeld : 1),
        end_(window_) {}

  static std::string misfit(const GpuDescription&, const PolicyParameters& parameters) {
    return ContextNumbers::misfit("bandwidth-limits", parameters, kLimits);
  }

  RequestPriority priority(std::uint32_t entry) const override {
    return {is_beyond(request(entry).context) ? beyond_ : 0, 0};
  }
  Cycle next_change() const override { return end_; }

  void reset() override {
    RankedScheduler::reset();
    used_.clear();
    end_ = Cycle{window_};
  }

 private:
  static constexpr const char* kLimits = "limits";
  static constexpr std::uint64_t kAllOfIt = 100;  // per cent

  // Returns for how long the data of a context may occupy the data bus in a window, in hundredths of a CK.
  std::uint64_t budget(ContextId context) const { return limits_.of(context) * window_; }
  bool is_beyond(ContextId context) const {
    return limits_.of(context) < kAllOfIt && used_.at(context) >= budget(context);
  }

  void add(const QueuedRequest& request) override { used_[request.context]; }
  void remove(const QueuedRequest& request, Cycle) override {
    const bool was_beyond = is_beyond(request.context);
    used_[request.context] += kAllOfIt * request.data_cycles;
    if (is_beyond(request.context) != was_beyond) changed();
  }

  void pass(Cycle now) override {
    if (now < end_) return;
    const std::uint64_t windows = (now - end_) / window_ + 1;
    end_ = end_ + windows * window_;
    for (std::size_t place = 0; place < used_.all().size(); ++place) {
      std::uint64_t& used = used_.all()[place];
      used -= std::min(used, windows * budget(ContextId{static_cast<std::uint32_t>(place) - 1}));
    }
    changed();
  }

  const ContextNumbers limits_;  // per cent of the time of the data bus
  const std::uint64_t window_;   // command clocks
  const std::uint64_t beyond_;   // the level of the requests of a context that has used its limit
  ContextTable<std::uint64_t>
      used_;   // by context: time on the data bus in this window, in hundredths of a CK
  Cycle end_;  // of the window
};

HEDDLE_POLICY(
    DramScheduler, BandwidthLimits, "bandwidth-limits",
    "contexts have at most a share of the peak bandwidth, and wait or go last beyond it",
    "Arm, MPAM System Component Specification: memory-bandwidth maximum partitioning",
    {{"limits", "%", IntegerLists{}, 1, 100,
      "the most of the peak of a channel, by application in the order of the experiment; `all`, or no "
      "entry: 100, no limit",
      true},
     {"beyond",
      "1",
      std::string("hold"),
      0,
      0,
      "what requests beyond the limit do: hold, wait for the next window; last, go behind all others",
      false,
      {"hold", "last"}},
     {"window", "CK", 100, 10, 1e9, "the time over which bandwidth is counted", true}});

}  // namespace

}  // namespace heddle
