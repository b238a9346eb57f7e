#include "models/sm/sm_core.h"

#include <algorithm>

#include "models/core/kernel/address_spaces.h"
#include "models/core/kernel/local_layout.h"
#include "models/sm/collector/collector_pipeline.h"
#include "models/sm/subcore/subcore_pipeline.h"

namespace heddle {

namespace {

std::unique_ptr<SmPipeline> pipeline_of(const CycleSmSpec& spec, const LocalLayout& local, Address swap,
                                        WarpPipelineDeps deps, Group& stats) {
  if (spec.pipeline == PipelineKind::kSubcore)
    return std::make_unique<SubcorePipeline>(spec, local, swap, std::move(deps), stats);
  return std::make_unique<CollectorPipeline>(spec, local, swap, std::move(deps), stats);
}

}  // namespace

SmCore::SmCore(const char* name, const CycleSmSpec& spec, const SmLimits& limits, std::uint32_t sm,
               std::uint32_t sms, std::uint32_t ksrs, Deps deps, Group& stats)
    : manager_(std::move(deps.manager)),
      meter_(deps.meter),
      tally_(deps.meter.add_sm()),
      accounts_(spec, ksrs, stats),
      stats_(spec, accounts_, stats),
      use_(spec.use_epoch > 0 ? std::make_optional<ResourceUse>(spec.use_epoch, limits, stats)
                              : std::nullopt),
      residence_(name, limits, ksrs,
                 {deps.listener, accounts_.kernels(), manager_.get(), spec.block_start, spec.warp_start,
                  spec.saves_live_registers},
                 stats),
      pipeline_(pipeline_of(
          spec, LocalLayout(sm, sms, limits.warps),
          kSwapAddresses + (manager_ && manager_->maps() ? sm * manager_->swap_bytes() : 0),
          {residence_, accounts_, deps.memory, tally_, use_ ? &*use_ : nullptr, std::move(deps.schedulers)},
          stats)),
      outbox_(pipeline_->outbox()),
      managed_(residence_.managed()),
      mapped_(managed_ != nullptr && managed_->maps() ? managed_ : nullptr) {
  residence_.attach(*pipeline_);
}

void SmCore::trace(TraceObserver& observer, std::uint32_t sm, std::uint32_t sms) {
  tracer_ = std::make_unique<WarpTracer>(observer, sm, sms);
  pipeline_->trace(*tracer_);
}

void SmCore::reset() {
  if (tracer_ != nullptr) tracer_->reset();
  if (manager_) manager_->reset();
  residence_.reset();
  pipeline_->reset();
  accounts_.reset();
  if (use_) use_->reset();
  next_wake_ = Cycle::never();
}

Cycle SmCore::tick(Cycle now) {
  const Cycle next = work(now);
  if (next != kFinishes) return next;
  finish(now);
  return next_tick(now);
}

const ResourceStats* SmCore::resource_stats() const {
  return mapped_ != nullptr ? &mapped_->stats() : nullptr;
}

bool SmCore::holds(AccountId account) const {
  return residence_.work().awaits_answers(account) || pipeline_->holds(account);
}

void SmCore::close(AccountId account) {
  residence_.work().close(account);
  if (accounts_.kernels().on()) accounts_.kernels().close(account);
}

void SmCore::update_stats(Cycle now) {
  account_until(now);
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto unit = static_cast<UnitKind>(i);
    stats_.set_busy_cycles(unit, pipeline_->busy_cycles(unit, now));
  }
  stats_.set_totals(residence_.work().total());
  if (mapped_ != nullptr) mapped_->update_stats();
}

}  // namespace heddle
