#include "models/gpu/memory_path.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

// Returns the arbiters of the outputs of one direction, "requests" or "replies".
Crossbar::Arbiters arbiters(RtlPolicies& policies, const std::string& direction, std::uint32_t outputs,
                            std::uint32_t inputs) {
  Crossbar::Arbiters result;
  for (std::uint32_t i = 0; i < outputs; ++i)
    result.push_back(policies.crossbar_arbiter(fmt::format("crossbar.{}.output{}", direction, i), inputs));
  return result;
}

// Returns for each context the frames that lie in its channels, or nothing if contexts have no channels of
// their own.
std::vector<PageTables::Frames> frames_of_contexts(const ChannelMap& channels, std::uint64_t page_bytes) {
  std::vector<PageTables::Frames> frames;
  for (const AddressRange& range : channels.ranges())
    frames.push_back({range.first, range.bytes / page_bytes});
  return frames;
}

}  // namespace

MemoryPath::MemoryPath(const GpuSpec& spec, ClockDomain& core, RtlPolicies& policies, bool reversed,
                       const std::vector<MemoryTapPlace>& taps)
    : spec_(*spec.memory),
      channels_(spec_.dram.map),
      pages_(spec_.page_bytes, spec.device_bytes, spec.engine.contexts,
             frames_of_contexts(channels_, spec_.page_bytes)),
      icnt_(std::make_unique<ClockDomain>("icnt", spec_.icnt_hz, core)),
      l2_(std::make_unique<ClockDomain>("l2", spec_.l2_hz, core)),
      dram_(std::make_unique<ClockDomain>("dram", spec_.dram_hz, core)),
      slices_(spec_.slices()),
      dram_channels_(spec_.dram.map.channels) {
  build(spec, policies, reversed);
  const std::uint32_t per_channel = spec_.l2.slices_per_channel;
  for (std::uint32_t i = 0; i < slices_.size(); ++i) {
    L2Block& slice = *slices_[i];
    bind({&crossbar_->slice_link(i), nullptr}, slice, 0, spec_.l2_link, "l2_" + std::to_string(i), taps);
    From to_dram{slice.dram_link(), nullptr};
    if (to_dram.link == nullptr) to_dram.socket = &slice.dram();
    const std::uint32_t channel = i / per_channel;
    bind(to_dram, *dram_channels_[channel], i % per_channel, spec_.dram_link,
         "dram" + std::to_string(channel), taps);
  }
}

void MemoryPath::bind(const From& from, MemoryBlock& block, std::uint32_t port, const LinkSpec& link,
                      const std::string& place, const std::vector<MemoryTapPlace>& taps) {
  LinkTarget* const to = block.link(port);
  if (from.link != nullptr) from.link->set_latency(link.latency);
  if (to != nullptr) to->set_latency(link.latency);
  const auto tap =
      std::find_if(taps.begin(), taps.end(), [&](const MemoryTapPlace& one) { return one.place == place; });
  if (tap != taps.end()) {
    taps_.push_back(std::make_unique<MemoryTap>("tap" + std::to_string(taps_.size()), *tap->observer));
    from.base_protocol().bind(taps_.back()->target);
    taps_.back()->initiator.bind(block.port(port));
  } else if (from.link != nullptr && to != nullptr && !link.base_protocol) {
    from.link->socket.bind(to->socket);
  } else {
    from.base_protocol().bind(block.port(port));
  }
}

void MemoryPath::bind_sm(std::uint32_t i, LinkInitiator& sm) {
  sm.set_latency(spec_.sm_link.latency);
  crossbar_->sm_link(i).set_latency(spec_.sm_link.latency);
  if (spec_.sm_link.base_protocol)
    sm.base_protocol().bind(crossbar_->sm(i));
  else
    sm.socket.bind(crossbar_->sm_link(i).socket);
}

void MemoryPath::build(const GpuSpec& spec, RtlPolicies& policies, bool reversed) {
  std::vector<std::function<void()>> steps;
  steps.emplace_back([this, &spec, &policies] {
    crossbar_ = std::make_unique<Crossbar>(
        "crossbar", spec_.noc, spec.sm.count, spec_.slices(),
        Crossbar::Deps{*icnt_, pages_,
                       [this](Address physical) { return slice_of(spec_, channels_, physical); },
                       arbiters(policies, "requests", spec_.slices(), spec.sm.count),
                       arbiters(policies, "replies", spec.sm.count, spec_.slices())});
  });
  auto blocks = std::make_shared<MemoryBlocks>(spec, policies, channels_, *l2_, *dram_);
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    steps.emplace_back([this, i, blocks] { slices_[i] = blocks->l2_slice(i); });
  for (std::uint32_t i = 0; i < dram_channels_.size(); ++i)
    steps.emplace_back([this, i, blocks] { dram_channels_[i] = blocks->dram_channel(i); });
  if (reversed) std::reverse(steps.begin(), steps.end());
  for (const auto& step : steps) step();
}

void MemoryPath::trace(TraceObserver& observer) {
  crossbar_->trace(observer.sink("crossbar", TraceClock::kIcnt));
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    slices_[i]->trace(observer.sink(fmt::format("l2_{}", i), TraceClock::kL2));
  for (std::uint32_t i = 0; i < dram_channels_.size(); ++i)
    dram_channels_[i]->trace(observer.sink(fmt::format("dram{}", i), TraceClock::kDram));
}

void MemoryPath::transferred(Cycle /*begin*/, Cycle /*end*/, const Transfer& transfer) {
  if (transfer.direction == Direction::kDown || transfer.bytes == 0) return;
  constexpr std::uint64_t kLine = L2Spec::kLineBytes;
  const std::uint64_t lines = std::uint64_t{spec_.l2.sets} * spec_.l2.ways * spec_.slices();
  const Address end = transfer.device_address + transfer.bytes;
  // Sets are used unevenly, so that more lines than L2 has are placed before the first ones are all gone.
  Address line = transfer.device_address / kLine * kLine;
  if (end - line > 2 * lines * kLine) line = end / kLine * kLine - 2 * lines * kLine;
  for (; line < end; line += kLine) {
    const Address physical = pages_.translate(transfer.context, line, copied_);
    slices_[slice_of(spec_, channels_, physical)]->place(physical);
  }
}

void MemoryPath::reset() {
  pages_.reset();
  copied_ = {};
  crossbar_->reset();
  for (const auto& slice : slices_) slice->reset();
  for (const auto& controller : dram_channels_) controller->reset();
}

bool MemoryPath::idle() const {
  return crossbar_->idle() &&
         std::all_of(slices_.begin(), slices_.end(), [](const auto& slice) { return slice->idle(); }) &&
         std::all_of(dram_channels_.begin(), dram_channels_.end(),
                     [](const auto& dram) { return dram->idle(); });
}

void MemoryPath::watch(Watchdog& watchdog) const {
  watchdog.watch(
      {"crossbar", {}, [this] { return crossbar_->idle(); }, [this] { return crossbar_->waiting_for(); }});
  const auto add = [&watchdog](MemoryBlock& block) {
    watchdog.watch({block.stats().name(),
                    {},
                    [&block] { return block.idle(); },
                    [&block] { return block.waiting_for(); }});
  };
  for (const auto& slice : slices_) add(*slice);
  for (const auto& dram : dram_channels_) add(*dram);
}

void MemoryPath::add_stats(Group& gpu, const CounterList& instructions) {
  for (ClockDomain* clock : {icnt_.get(), l2_.get(), dram_.get()}) {
    clock_stats_.push_back(std::make_unique<ClockStats>(*clock));
    gpu.attach(clock_stats_.back()->group());
  }
  gpu.attach(crossbar_->stats());
  CounterList missed;
  CounterList requests;
  for (const auto& slice : slices_) {
    slice->attach_stats(gpu);
    missed.emplace_back(slice->lines_missed());
    requests.emplace_back(slice->requests());
  }
  for (const auto& dram : dram_channels_) dram->attach_stats(gpu);
  l2_miss_rate_ =
      &gpu.add_formula("l2_miss_rate", "1", "lines that L2 missed per request to it", missed, requests);
  l2_mpki_ =
      &gpu.add_formula("l2_mpki", "line/1000 instruction",
                       "lines that L2 missed per thousand warp instructions", missed, instructions, 1000);
}

void MemoryPath::update_stats() {
  for (const auto& clock : clock_stats_) clock->update();
  crossbar_->update_stats(icnt_->now());
  for (const auto& slice : slices_) slice->update_stats(l2_->now());
  for (const auto& dram : dram_channels_) dram->update_stats(dram_->now());
}

void MemoryPath::add_counts(AccountId account, LaunchCounts& counts) const {
  counts.crossbar += crossbar_->counts(account, icnt_->now());
  for (const auto& slice : slices_) slice->add_counts(account, counts);
  for (const auto& dram : dram_channels_) dram->add_counts(account, counts);
}

bool MemoryPath::holds(AccountId account) const {
  return std::any_of(slices_.begin(), slices_.end(),
                     [account](const auto& slice) { return slice->holds(account); }) ||
         std::any_of(dram_channels_.begin(), dram_channels_.end(),
                     [account](const auto& dram) { return dram->holds(account); });
}

void MemoryPath::close(AccountId account) {
  crossbar_->close(account);
  for (const auto& slice : slices_) slice->close(account);
  for (const auto& dram : dram_channels_) dram->close(account);
}

}  // namespace heddle
