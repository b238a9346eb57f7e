#include "platforms/channel/channel_run.h"

#include <algorithm>
#include <optional>

#include "models/core/base/ring.h"

namespace heddle {

namespace {

constexpr std::uint64_t kAcceptance = 1;  // cycles from a request's acceptance to its place in the queue

}  // namespace

void LatencyHistogram::add(std::uint64_t cycles) {
  const auto bin = static_cast<std::size_t>(std::min(cycles, kMost));
  if (bin >= bins_.size()) bins_.resize(std::max(bin + 1, 2 * bins_.size()));
  ++bins_[bin];
  ++count_;
  sum_ += cycles;
}

std::uint64_t LatencyHistogram::percentile(std::uint64_t permille) const {
  const std::uint64_t rank = (count_ * permille + 999) / 1000;
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin)
    if ((seen += bins_[bin]) >= rank && seen != 0) return bin;
  return 0;
}

std::unique_ptr<DramChannel> make_channel(const GpuSpec& gpu) {
  return std::make_unique<DramChannel>("dram", gpu.memory->dram, [&gpu](const std::string&) {
    return DramPolicies{PolicyRegistry<DramScheduler>::make(gpu.policies.at(DramScheduler::kDecision)),
                        PolicyRegistry<PagePolicy>::make(gpu.policies.at(PagePolicy::kDecision))};
  });
}

ChannelRun run_channel(DramChannel& channel, const NextRequest& next, std::size_t outstanding) {
  ChannelRun run;
  Ring<Cycle> transfers(outstanding);  // last data beats of scheduled reads, in order
  std::size_t reads = 0;               // accepted reads whose last data beat is still to come
  DramRequest request;
  bool more = next(request);
  std::optional<DramRequest> accepted;  // in the last cycle
  Cycle end{0};
  for (Cycle now{0}; more || accepted || !channel.idle();) {
    if (accepted) channel.accept(*accepted, now);
    accepted.reset();
    for (; !transfers.empty() && transfers.front() <= now; transfers.pop()) --reads;
    const auto free = [&](Cycle cycle) {
      return !channel.full(request.local) &&
             (request.write || reads < outstanding || (!transfers.empty() && transfers.front() <= cycle));
    };
    if (more && free(now)) {
      accepted = request;
      ++run.requests;
      if (!request.write) ++reads;
      more = next(request);
    }
    if (const auto done = channel.tick(now)) {
      end = std::max(end, done->last_beat);
      if (!done->write) {
        transfers.push(done->last_beat);
        run.read_latency.add(done->last_beat - done->accepted + kAcceptance);
      }
    }
    Cycle wake = channel.next_wake();
    if (accepted || (more && free(now + 1))) wake = now + 1;
    if (more && !request.write && !transfers.empty())
      wake = std::min(wake, std::max(transfers.front(), now + 1));
    now = wake;
  }
  run.cycles = end.value;
  channel.account_until(end);
  return run;
}

}  // namespace heddle
