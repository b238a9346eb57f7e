#pragma once
// One memory channel serves a stream of requests, and its time and read latencies are measured.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/dram/dram_channel.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// A histogram of latencies with bins of one cycle. A latency beyond kMost is counted as kMost.
class LatencyHistogram {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 22;

  void add(std::uint64_t cycles);
  std::uint64_t count() const { return count_; }
  // The mean is in cycles. At least one latency must have been added.
  double mean() const { return static_cast<double>(sum_) / static_cast<double>(count_); }
  // Returns the smallest latency, in cycles, that at least `permille` of a thousand latencies do not exceed,
  // or 0 if the histogram is empty.
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

// Returns one channel of a GPU, with the GPU's DRAM policies. The GPU must have a `memory`.
std::unique_ptr<DramChannel> make_channel(const GpuSpec& gpu);

// Stores the next request and returns true, or returns false at the end of the stream.
using NextRequest = std::function<bool(DramRequest&)>;

// Serves all requests. The channel accepts at most one request a cycle from cycle 0 on, in the order of the
// stream, and a command for a request is issued in the cycle after its acceptance at the earliest, as in
// DRAMsim3, Ramulator and GPGPU-Sim. A request waits while the queue is full; a read also waits while
// `outstanding` reads have not had their last data beat. The channel must be new or reset. Its counters
// are up to date when the function returns.
ChannelRun run_channel(DramChannel& channel, const NextRequest& next, std::size_t outstanding);

}  // namespace heddle
