#include "models/sm/residence/residence.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

Residence::Residence(const char* name, const SmLimits& limits, std::uint32_t ksrs, const Deps& deps,
                     Group& stats)
    : name_(name), limits_(limits), deps_(deps), work_(table_, ksrs), saver_(*this), kernels_(ksrs) {
  table_.blocks.resize(limits.block_slots);
  ended_.reserve(limits.block_slots);
  if (deps.manager != nullptr)
    managed_.emplace(limits, ksrs,
                     ManagedResources::Deps{table_, deps.listener, deps.accounts, *deps.manager}, stats);
}

void Residence::attach(SmPipeline& pipeline) {
  pipeline_ = &pipeline;
  if (managed_) managed_->attach(pipeline);
}

void Residence::reset() {
  table_.reset();
  work_.reset();
  saver_.reset();
  if (managed_) managed_->reset();
  used_slots_ = 0;
  carve_out_ = 0;
  set_ups_ = started_ = 0;
  next_start_ = Cycle::never();
  std::fill(kernels_.begin(), kernels_.end(), Kernel{});
  ended_.clear();
}

void Residence::set_kernel(KsrId ksr, const KernelLaunch& launch, KernelProgram& program) {
  work_.set_kernel(ksr, launch.account);
  kernels_[ksr.value] = {launch,
                         &program,
                         ++set_ups_,
                         kNoLimit,
                         limits_.carve_outs.empty() ? 0 : carve_out_of(launch.shape, limits_),
                         resources_of(launch.shape, limits_).shared_bytes};
  if (deps_.accounts.on()) deps_.accounts.set_kernel(ksr, launch);
  if (managed_) managed_->set_kernel(ksr, launch, program);
  pipeline_->set_kernel(launch, program);
}

ResidentBlock* Residence::find(KsrId ksr, BlockId id) {
  const auto at = std::find_if(table_.blocks.begin(), table_.blocks.end(), [&](const ResidentBlock& block) {
    return block.stream != nullptr && block.ksr == ksr && block.block == id;
  });
  return at == table_.blocks.end() ? nullptr : &*at;
}

const ResidentBlock* Residence::find(const ClusterPlaces& cluster, std::uint32_t rank) const {
  const auto at = std::find_if(table_.blocks.begin(), table_.blocks.end(), [&](const ResidentBlock& block) {
    return block.stream != nullptr && block.cluster.get() == &cluster &&
           block.block.value == cluster.first.value + rank;
  });
  return at == table_.blocks.end() ? nullptr : &*at;
}

ResidentBlock& Residence::place(KsrId ksr, BlockId id, Cycle now) {
  Kernel& kernel = kernels_[ksr.value];
  HEDDLE_CHECK(kernel.program != nullptr, name_, now, "block {} before its set-up", id.value);
  const auto free = [](const ResidentBlock& block) { return block.stream == nullptr; };
  const auto at = std::find_if(table_.blocks.begin(), table_.blocks.end(), free);
  HEDDLE_CHECK(at != table_.blocks.end(), name_, now, "block {} finds no block slot", id.value);
  if (!limits_.carve_outs.empty()) carve_out_for(kernel);
  ++table_.resident;
  ResidentBlock& block = *at;
  block = ResidentBlock{};
  block.block = id;
  block.ksr = ksr;
  block.context = kernel.launch.context;
  block.account = kernel.launch.account;
  block.tag = kernel.launch.tag;
  block.started = now;
  block.set_up = kernel.set_up;
  block.number = started_++;
  block.warps = resources_of(kernel.launch.shape, limits_).warps;
  HEDDLE_CHECK(block.warps <= static_cast<std::uint32_t>(__builtin_popcountll(~used_slots_)), name_, now,
               "block {} of {} warps finds {} warp slots", id.value, block.warps,
               __builtin_popcountll(~used_slots_));
  if (deps_.accounts.on()) deps_.accounts.start(ksr);
  return block;
}

std::uint32_t Residence::place_warp(ResidentBlock& block, std::uint32_t number, std::uint8_t phase) {
  const std::uint32_t slot = lowest(~used_slots_);
  used_slots_ |= bit(slot);
  block.running |= bit(slot);
  ++block.warps_left;
  table_.warps[slot] = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(table_.slot_of(block)),
                        phase};
  table_.live |= bit(slot);
  pipeline_->start_warp(slot, *block.stream);
  return slot;
}

void Residence::start(KsrId ksr, BlockId id, Cycle now, const std::shared_ptr<const ClusterPlaces>& cluster) {
  ResidentBlock& block = place(ksr, id, now);
  block.cluster = cluster;
  block.stream = &kernels_[ksr.value].program->start(id);
  for (std::uint32_t number = 0; number < block.warps; ++number) place_warp(block, number, 0);
  table_.update_derived();
  const WarpMask warps = block.running;
  if (deps_.accounts.on()) deps_.accounts.join(ksr, warps);
  if (managed_) managed_->start_block(block);
  delay_start(block, now);
  // A warp of a trace may have no instruction. It ends as soon as its block starts.
  for_each_slot(warps, [&](std::uint32_t slot) {
    if (block.stream->peek(table_.warps[slot].number, 0) != nullptr) return;
    pipeline_->stop_warp(slot);
    end_warp(slot, now);
  });
  if (kernels_[ksr.value].limit != kNoLimit) apply_limit(ksr);
}

void Residence::carve_out_for(const Kernel& kernel) {
  std::uint32_t bytes = kernel.carve_out;
  if (table_.resident > 0) {
    std::uint32_t held = kernel.shared_bytes;
    for (const ResidentBlock& block : table_.blocks)
      if (block.stream != nullptr) held += kernels_[block.ksr.value].shared_bytes;
    const auto& sizes = limits_.carve_outs;
    bytes = std::max({bytes, carve_out_, *std::lower_bound(sizes.begin(), sizes.end() - 1, held)});
  }
  if (bytes == carve_out_) return;
  carve_out_ = bytes;
  pipeline_->set_carve_out(bytes);
}

void Residence::delay_start(ResidentBlock& block, Cycle now) {
  const std::uint32_t cycles = deps_.block_start + block.warps * deps_.warp_start;
  if (cycles == 0) return;
  block.starting = true;
  block.starts = now + cycles;
  next_start_ = std::min(next_start_, block.starts);
  pause(block, true);
}

void Residence::let_start(Cycle now) {
  next_start_ = Cycle::never();
  for (ResidentBlock& block : table_.blocks) {
    if (block.stream == nullptr || !block.starting) continue;
    if (block.starts > now) {
      next_start_ = std::min(next_start_, block.starts);
      continue;
    }
    block.starting = false;
    apply_limit(block.ksr);
  }
}

void Residence::halt(KsrId ksr, Cycle now) {
  for (ResidentBlock& block : table_.blocks)
    if (block.stream != nullptr && block.ksr == ksr) cut_short(block, now);
}

void Residence::flush(KsrId ksr, BlockId id, Cycle now) {
  ResidentBlock* const block = find(ksr, id);
  if (block == nullptr) return;
  block->flushed = true;
  cut_short(*block, now);
}

void Residence::cut_short(ResidentBlock& block, Cycle now) {
  const WarpMask running = block.running;
  saver_.forget(block);
  if (block.paused) pause(block, false);
  table_.at_barrier &= ~running;
  table_.update_derived();
  for_each_slot(running, [this, now](std::uint32_t slot) {
    pipeline_->stop_warp(slot);
    end_warp(slot, now);
  });
}

void Residence::limit(KsrId ksr, std::uint32_t blocks) {
  kernels_[ksr.value].limit = blocks;
  apply_limit(ksr);
}

// A block of the KSR is paused if it starts, if it is on its way to or from swap space, or if the KSR has as
// many older blocks on the SM as its limit allows (Kayiran et al., Neither More Nor Less, PACT 2013). The
// function pauses these blocks and lets all others issue.
void Residence::apply_limit(KsrId ksr) {
  const auto is_of = [ksr](const ResidentBlock& block) {
    return block.stream != nullptr && block.ksr == ksr;
  };
  for (ResidentBlock& block : table_.blocks) {
    if (!is_of(block)) continue;
    std::uint32_t older = 0;
    for (const ResidentBlock& other : table_.blocks) older += is_of(other) && other.number < block.number;
    const bool paused =
        block.starting || older >= kernels_[ksr.value].limit || block.swap_stage != SwapStage::kNone;
    if (block.paused != paused) pause(block, paused);
  }
}

void Residence::pause(ResidentBlock& block, bool paused) {
  block.paused = paused;
  table_.paused = paused ? table_.paused | block.running : table_.paused & ~block.running;
  table_.update_derived();
  deps_.accounts.set_warps(block.ksr, block.running, table_.awake);
}

void Residence::save(KsrId ksr, BlockId id, std::uint32_t area, Cycle now) {
  if (ResidentBlock* const block = find(ksr, id)) saver_.save(*block, area, now);
}

void Residence::go_on(KsrId ksr, BlockId id, const SavedBlock& saved, Cycle now) {
  saver_.go_on(place(ksr, id, now), saved, now);
}

void Residence::resume(const ResidentBlock& block, WarpMask at_barrier) {
  table_.at_barrier |= at_barrier;
  table_.update_derived();
  if (deps_.accounts.on()) deps_.accounts.join(block.ksr, block.running);
  if (!managed_) return;
  tell_warps_done(block.warps - block.warps_left);
  managed_->resume_block(block);
}

void Residence::remove(ResidentBlock& block) {
  const WarpMask running = block.running;
  for_each_slot(running, [this](std::uint32_t slot) { pipeline_->stop_warp(slot); });
  for (WarpMask* mask : {&table_.live, &table_.at_barrier, &table_.at_fence, &table_.paused, &table_.pending})
    *mask &= ~running;
  table_.update_derived();
  used_slots_ &= ~running;
  if (deps_.accounts.on()) deps_.accounts.leave(block.ksr, running);
  leave(block);
  if (!managed_) return;
  tell_warps_done(block.warps_left - 1);
  managed_->remove_block(table_.slot_of(block));
}

void Residence::tell_warps_done(std::uint32_t warps) {
  for (std::uint32_t i = 0; i < warps; ++i) deps_.listener.warp_done();
}

void Residence::arrive(std::uint32_t slot, const Instruction& code) {
  ResidentBlock& block = table_.block_of(slot);
  block.barriers[code.barrier].arrive(bit(slot), code);
  if (!code.arrives) table_.at_barrier |= bit(slot);
  table_.update_derived();
  release_barriers(block);
  if (managed_ && (table_.at_barrier & bit(slot)) != 0) managed_->wait(slot);
}

void Residence::release_barriers(ResidentBlock& block) {
  WarpMask released = 0;
  for (Barrier& barrier : block.barriers) {
    if (!barrier.opens(block.running)) continue;
    table_.at_barrier &= ~barrier.waiting;
    table_.update_derived();
    released |= barrier.waiting;
    barrier = Barrier{};
  }
  if (managed_ && released != 0) managed_->go_on(released);
}

void Residence::end_warp(std::uint32_t slot, Cycle now) {
  const WarpMask me = bit(slot);
  table_.live &= ~me;
  table_.at_fence &= ~me;
  table_.update_derived();
  ResidentBlock& block = table_.block_of(slot);
  block.running &= ~me;
  release_barriers(block);
  if (pipeline_->is_quiet(slot)) warp_is_quiet(slot, now);
}

void Residence::warp_is_quiet(std::uint32_t slot, Cycle now) {
  const WarpMask me = bit(slot);
  ResidentBlock& block = table_.block_of(slot);
  if ((table_.live & me) != 0) return saver_.advance(block, now);
  used_slots_ &= ~me;
  if (deps_.accounts.on()) deps_.accounts.leave(block.ksr, me);
  if (managed_) managed_->end_warp(slot);
  if (--block.warps_left == 0) return finish(block, now);
  if (managed_) {
    deps_.listener.warp_done();
    managed_->update();
  }
  saver_.advance(block, now);
}

void Residence::finish(ResidentBlock& block, Cycle now) {
  if (!block.flushed) ++work_.counts()[block.account].blocks;
  ended_.push_back({kernels_[block.ksr.value].program, block.stream, block.block, block.flushed});
  leave(block);
  if (managed_) managed_->end_block(table_.slot_of(block));
  SmWork work = LaunchWork::work_of(block);
  work += block.earlier;
  if (block.flushed) return deps_.listener.block_flushed(block.ksr, block.block, work, now);
  work.blocks = 1;
  deps_.listener.block_done(block.ksr, block.block, work, now);
}

void Residence::give_back_ended_blocks() {
  for (const EndedBlock& ended : ended_) {
    if (ended.flushed)
      ended.program->drop(*ended.stream, ended.block);
    else
      ended.program->finish(*ended.stream);
  }
  ended_.clear();
}

void Residence::leave(ResidentBlock& block) {
  work_.add_work(block);
  saver_.forget(block);
  block.stream = nullptr;
  --table_.resident;
  if (deps_.accounts.on()) deps_.accounts.end(block.ksr);
  if (kernels_[block.ksr.value].limit != kNoLimit) apply_limit(block.ksr);
}

}  // namespace heddle
