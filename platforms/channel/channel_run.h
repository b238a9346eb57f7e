#pragma once
// One memory channel under a stream of requests, and what came of it.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/dram/dram_controller.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Latencies in bins of one cycle; those beyond kMost count as kMost.
class LatencyHistogram {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 22;

  void add(std::uint64_t cycles);
  std::uint64_t count() const { return count_; }
  double mean() const { return static_cast<double>(sum_) / static_cast<double>(count_); }  // of at least one
  // The least latency that at least `permille` of a thousand do not exceed; 0 of none.
  std::uint64_t percentile(std::uint64_t permille) const;

 private:
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

struct ChannelRun {
  std::uint64_t requests = 0;
  std::uint64_t cycles = 0;       // from the first acceptance to the last data beat
  LatencyHistogram read_latency;  // from acceptance to the last data beat
};

// One channel of a GPU that has a `memory`, with its DRAM policies.
std::unique_ptr<DramController> make_channel(const GpuSpec& gpu);

// The next request; false at the end.
using NextRequest = std::function<bool(DramRequest&)>;

// Accepts at most one request a cycle from cycle 0 on, in order, while the queue has room and at most
// `outstanding` reads have not had their last beat. The controller is fresh; its counters are settled.
ChannelRun run_channel(DramController& controller, const NextRequest& next, std::size_t outstanding);

}  // namespace heddle
