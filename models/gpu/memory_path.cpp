#include "models/gpu/memory_path.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

// The arbiters of the outputs of one direction, "requests" or "replies".
Crossbar::Arbiters arbiters(RtlPolicies& policies, const std::string& direction, std::uint32_t outputs,
                            std::uint32_t inputs) {
  Crossbar::Arbiters result;
  for (std::uint32_t i = 0; i < outputs; ++i)
    result.push_back(policies.crossbar_arbiter(fmt::format("crossbar.{}.output{}", direction, i), inputs));
  return result;
}

}  // namespace

MemoryPath::MemoryPath(const GpuSpec& spec, ClockDomain& core, RtlPolicies& policies, bool reversed)
    : spec_(*spec.memory),
      channels_(spec_.dram.map),
      pages_(spec_.page_bytes, spec.device_bytes, spec.engine.contexts),
      icnt_(std::make_unique<ClockDomain>("icnt", spec_.icnt_hz, core)),
      l2_(std::make_unique<ClockDomain>("l2", spec_.l2_hz, core)),
      dram_(std::make_unique<ClockDomain>("dram", spec_.dram_hz, core)),
      slices_(spec_.slices()),
      controllers_(spec_.dram.map.channels) {
  build(spec, policies, reversed);
  const std::uint32_t per_channel = spec_.l2.slices_per_channel;
  for (std::uint32_t i = 0; i < slices_.size(); ++i) {
    crossbar_->slice(i).bind(slices_[i]->crossbar());
    slices_[i]->dram().bind(controllers_[i / per_channel]->port(i % per_channel));
  }
}

void MemoryPath::build(const GpuSpec& spec, RtlPolicies& policies, bool reversed) {
  std::vector<std::function<void()>> steps;
  steps.emplace_back([this, &spec, &policies] {
    crossbar_ = std::make_unique<Crossbar>(
        "crossbar", spec_.noc, spec.sm.count, spec_.slices(),
        Crossbar::Deps{*icnt_, pages_, [this](Address physical) { return slice_of(physical); },
                       arbiters(policies, "requests", spec_.slices(), spec.sm.count),
                       arbiters(policies, "replies", spec.sm.count, spec_.slices())});
  });
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    steps.emplace_back([this, i, &spec] {
      slices_[i] = std::make_unique<L2Slice>(("l2_" + std::to_string(i)).c_str(), spec_.l2,
                                             L2Slice::Deps{*l2_, [this](Address physical) {
                                                             return address_in_slice(
                                                                 spec_.l2, channels_.place(physical).local);
                                                           }});
    });
  for (std::uint32_t i = 0; i < controllers_.size(); ++i)
    steps.emplace_back([this, i, &spec, &policies] {
      controllers_[i] = std::make_unique<MemoryController>(
          ("dram" + std::to_string(i)).c_str(), spec_.dram, i, spec_.l2.slices_per_channel,
          policies.dram_scheduler("dram" + std::to_string(i), LocalMap(spec_.dram.map).banks()),
          PolicyRegistry<PagePolicy>::make(spec.policies.at(PagePolicy::kDecision)), *dram_);
    });
  if (reversed) std::reverse(steps.begin(), steps.end());
  for (const auto& step : steps) step();
}

std::uint32_t MemoryPath::slice_of(Address physical) const {
  const ChannelPlace place = channels_.place(physical);
  return place.channel * spec_.l2.slices_per_channel + slice_in_channel(spec_.l2, place.local);
}

void MemoryPath::reset() {
  pages_.reset();
  crossbar_->reset();
  for (const auto& slice : slices_) slice->reset();
  for (const auto& controller : controllers_) controller->reset();
}

bool MemoryPath::idle() const {
  return crossbar_->idle() &&
         std::all_of(slices_.begin(), slices_.end(), [](const auto& slice) { return slice->idle(); }) &&
         std::all_of(controllers_.begin(), controllers_.end(), [](const auto& dram) { return dram->idle(); });
}

void MemoryPath::watch(Watchdog& watchdog) const {
  watchdog.watch(
      {"crossbar", {}, [this] { return crossbar_->idle(); }, [this] { return crossbar_->waiting_for(); }});
  for (const auto& slice : slices_)
    watchdog.watch({slice->basename(),
                    {},
                    [&slice] { return slice->idle(); },
                    [&slice] { return slice->waiting_for(); }});
  for (const auto& dram : controllers_)
    watchdog.watch({dram->basename(),
                    {},
                    [&dram] { return dram->idle(); },
                    [] { return std::string("holds requests"); }});
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
    gpu.attach(slice->stats());
    missed.emplace_back(slice->cache().lines_missed());
    requests.emplace_back(slice->cache().requests());
  }
  for (const auto& dram : controllers_) gpu.attach(dram->stats());
  l2_miss_rate_ =
      &gpu.add_formula("l2_miss_rate", "1", "lines that L2 missed per request to it", missed, requests);
  l2_mpki_ =
      &gpu.add_formula("l2_mpki", "line/1000 instruction",
                       "lines that L2 missed per thousand warp instructions", missed, instructions, 1000);
}

void MemoryPath::update_stats() {
  for (const auto& clock : clock_stats_) clock->update();
  for (const auto& slice : slices_) slice->update_stats(l2_->now());
  for (const auto& dram : controllers_) dram->update_stats();
}

void MemoryPath::add_counts(AccountId account, LaunchCounts& counts) const {
  counts.crossbar += crossbar_->counts(account);
  for (const auto& slice : slices_) counts.l2 += slice->cache().counts(account);
  for (const auto& dram : controllers_) counts.dram += dram->counts(account);
}

bool MemoryPath::holds(AccountId account) const {
  return std::any_of(slices_.begin(), slices_.end(),
                     [account](const auto& slice) { return slice->holds(account); }) ||
         std::any_of(controllers_.begin(), controllers_.end(),
                     [account](const auto& dram) { return dram->holds(account); });
}

void MemoryPath::close(AccountId account) {
  crossbar_->close(account);
  for (const auto& slice : slices_) slice->close(account);
  for (const auto& dram : controllers_) dram->close(account);
}

}  // namespace heddle
