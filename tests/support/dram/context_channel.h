#pragma once
// A channel of a GTX 480 whose requests belong to contexts, and traffic of several contexts for it.

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/dram/gddr5.h"

namespace heddle::test {

// The channel has sixteen banks and does not refresh. A test adds requests one by one.
class ContextChannel {
 public:
  explicit ContextChannel(const PolicyChoice& scheduler)
      : channel_(make_controller(gddr5_spec(kRowBankGroupColumn), scheduler)) {}

  // Adds a request to the next column of a row, and returns its number, which counts from 0.
  std::uint64_t add(std::uint32_t context, std::uint32_t bank, std::uint32_t row, bool write = false) {
    DramRequest request;
    request.local = Address{row} << 16 | Address{bank} << 12 | (added_ % 64) << 6;
    request.write = write;
    request.token = added_;
    request.context = ContextId{context};
    channel_->accept(request, now_);
    return added_++;
  }
  // Runs until this cycle. Cycles without a wake of the controller are left out.
  void run_until(std::uint64_t cycle) {
    while (std::max(channel_->next_wake(), now_) < Cycle{cycle}) {
      now_ = std::max(channel_->next_wake(), now_);
      if (const auto done = channel_->tick(now_)) {
        served_.push_back(done->token);
        times_.push_back(now_.value);
      }
      now_ = now_ + 1;
    }
    now_ = Cycle{cycle};
  }
  // Runs until no request waits. Returns the requests in the order in which the channel has served them.
  std::vector<std::uint64_t> finish() {
    for (std::uint64_t end = now_.value; !channel_->idle();) run_until(end += 100);
    return served_;
  }
  void forget() { served_.clear(); }
  const std::vector<std::uint64_t>& served() const { return served_; }
  std::uint64_t waiting() const { return added_ - times_.size(); }

  std::uint64_t last_time() const { return times_.back(); }  // cycle of the last column command
  const Counter* counter(const std::string& path) {
    return channel_->part(0).stats().group().find("dram." + path);
  }
  DramChannel& channel() { return *channel_; }

 private:
  std::unique_ptr<DramChannel> channel_;
  std::uint64_t added_ = 0;
  Cycle now_{0};
  std::vector<std::uint64_t> served_, times_;
};

// A context that always has `outstanding` reads at the channel: runs of `run` neighbouring bursts. Nobody
// waits for its writes.
struct ContextSource {
  std::uint64_t outstanding = 8;
  std::uint64_t run = 16;
  std::uint64_t writes_percent = 0;
};

struct ContextService {
  std::uint64_t bursts = 0;
  std::uint64_t longest = 0;  // of a read, from acceptance to the end of the data, in CK
};

// Runs the sources for so many cycles, and then until all requests are served. Returns the service of each
// context until the sources ended; the longest times include the requests that were served later.
inline std::vector<ContextService> run_sources(DramChannel& channel,
                                               const std::vector<ContextSource>& sources,
                                               std::uint64_t cycles, std::uint64_t seed) {
  struct State {
    std::uint64_t waiting = 0, left = 0;
    Address at = 0;
  };
  Random random(seed);
  std::vector<State> states(sources.size());
  std::vector<ContextService> services(sources.size());
  const std::uint64_t bursts = channel.map().bytes() / 64;
  std::size_t turn = 0;
  for (Cycle now{0}; now < Cycle{cycles} || !channel.idle(); now = now + 1) {
    for (std::size_t i = 0; now < Cycle{cycles} && i < sources.size(); ++i) {
      const std::size_t context = (turn + i) % sources.size();
      State& state = states[context];
      if (state.waiting == sources[context].outstanding) continue;
      if (state.left-- == 0) {
        state.left = sources[context].run - 1;
        state.at = random.below(bursts) * 64;
      }
      if (channel.full(state.at)) break;
      DramRequest request;
      request.local = state.at;
      request.write = random.below(100) < sources[context].writes_percent;
      request.token = context;
      request.context = ContextId{static_cast<std::uint32_t>(context)};
      channel.accept(request, now);
      state.at = (state.at + 64) % channel.map().bytes();
      if (!request.write) ++state.waiting;
      turn = context + 1;
      break;
    }
    if (const auto done = channel.tick(now)) {
      ContextService& service = services[done->token];
      if (now < Cycle{cycles}) ++service.bursts;
      if (done->write) continue;
      --states[done->token].waiting;
      service.longest = std::max(service.longest, done->last_beat - done->accepted);
    }
  }
  return services;
}

}  // namespace heddle::test
