// The blocks of an SmCore: how they start, wait at barriers, are paused, halted and flushed, and end.

#include <algorithm>

#include "models/core/base/check.h"
#include "models/sm/sm_core.h"

namespace heddle {

void SmCore::set_kernel(KsrId ksr, const KernelLaunch& launch, KernelProgram& program) {
  Kernel& kernel = kernels_[ksr.value];
  KernelCounts earlier = kernel.earlier;
  if (kernel.program != nullptr && kernel.launch.account != launch.account)
    earlier += counts_.at(kernel.launch.account);
  kernel = Kernel{};
  kernel.launch = launch;
  kernel.program = &program;
  takes_turns_ = takes_turns_ || program.takes_turns();
  kernel.set_up = ++set_ups_;
  kernel.earlier = earlier;
  if (accounts_.kernels().on()) accounts_.kernels().set_kernel(ksr, launch);
  if (manager_) manage_kernel(ksr);
  lsu_.invalidate(launch.context);
  if (spec_.code_is_dropped) front_end_.invalidate(launch.context);
}

ResidentBlock& SmCore::place(KsrId ksr, BlockId id, Cycle now) {
  Kernel& kernel = kernels_[ksr.value];
  HEDDLE_CHECK(kernel.program != nullptr, name_, now, "block {} before its set-up", id.value);
  const BlockResources need = resources_of(kernel.launch.shape, limits_);
  HEDDLE_CHECK(fits(used_, need, limits_), name_, now, "block {} does not fit", id.value);
  used_ += need;
  ++resident_;
  ++kernel.started;
  const auto free = [](const ResidentBlock& block) { return block.stream == nullptr; };
  const auto at = std::find_if(table_.blocks.begin(), table_.blocks.end(), free);
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
  block.need = need;
  if (accounts_.kernels().on()) accounts_.kernels().start(ksr);
  return block;
}

void SmCore::place_warp(ResidentBlock& block, std::uint32_t number) {
  const std::uint32_t slot = lowest(~used_slots_);
  used_slots_ |= bit(slot);
  block.running |= bit(slot);
  ++block.warps_left;
  Warp& warp = table_.warps[slot];
  warp = Warp{};
  warp.stream = block.stream;
  warp.number = static_cast<std::uint8_t>(number);
  warp.block = static_cast<std::uint8_t>(&block - table_.blocks.data());
  table_.live |= bit(slot);
  schedulers_[slot % spec_.schedulers]->started(slot, inspector_.warp(slot));
}

void SmCore::start(KsrId ksr, BlockId id, Cycle now) {
  ResidentBlock& block = place(ksr, id, now);
  const Kernel& kernel = kernels_[ksr.value];
  block.stream = &kernel.program->start(id);
  for (std::uint32_t number = 0; number < block.need.warps; ++number) place_warp(block, number);
  table_.update_derived();
  const WarpMask warps = block.running;
  if (accounts_.kernels().on()) accounts_.kernels().join(ksr, warps);
  if (manager_) {
    manager_->start_block(ksr.value, table_.warps[lowest(warps)].block, warps, kernel.phases.front());
    update_pending();
  }
  // A warp of a trace may have no instruction. It ends as soon as its block starts.
  for_each_slot(warps, [&](std::uint32_t slot) {
    if (table_.warps[slot].stream->peek(table_.warps[slot].number, 0) == nullptr) end_warp(slot);
  });
  if (kernel.limit != kNoLimit) apply_limit(ksr);
}

void SmCore::halt(KsrId ksr) {
  for (ResidentBlock& block : table_.blocks)
    if (block.stream != nullptr && block.ksr == ksr) cut_short(block);
}

void SmCore::flush(KsrId ksr, BlockId id) {
  for (ResidentBlock& block : table_.blocks) {
    if (block.stream == nullptr || block.ksr != ksr || block.block != id) continue;
    block.flushed = true;
    cut_short(block);
  }
}

void SmCore::cut_short(ResidentBlock& block) {
  const WarpMask running = block.running;
  if (block.swap_stage != SwapStage::kNone) set_stage(block, SwapStage::kNone);
  if (block.paused) pause(block, false);
  table_.at_barrier &= ~running;
  table_.update_derived();
  for_each_slot(running, [this](std::uint32_t slot) {
    front_end_.drop(slot);
    table_.warps[slot].buffered = 0;
    end_warp(slot);
  });
}

void SmCore::limit(KsrId ksr, std::uint32_t blocks) {
  kernels_[ksr.value].limit = blocks;
  apply_limit(ksr);
}

// A block of the KSR is paused if it is on its way to or from swap space, or if the KSR has as many older
// blocks on the SM as its limit allows (Kayiran et al., Neither More Nor Less, PACT 2013). The function
// pauses these blocks and lets all others issue.
void SmCore::apply_limit(KsrId ksr) {
  const auto is_of = [ksr](const ResidentBlock& block) {
    return block.stream != nullptr && block.ksr == ksr;
  };
  for (ResidentBlock& block : table_.blocks) {
    if (!is_of(block)) continue;
    std::uint32_t older = 0;
    for (const ResidentBlock& other : table_.blocks) older += is_of(other) && other.number < block.number;
    const bool paused = older >= kernels_[ksr.value].limit || block.swap_stage != SwapStage::kNone;
    if (block.paused != paused) pause(block, paused);
  }
}

void SmCore::pause(ResidentBlock& block, bool paused) {
  block.paused = paused;
  table_.paused = paused ? table_.paused | block.running : table_.paused & ~block.running;
  table_.update_derived();
  update_accounts(block);
}

// The accounts of a kernel have the warps that may issue.
void SmCore::update_accounts(const ResidentBlock& block) {
  if (!accounts_.kernels().on()) return;
  accounts_.kernels().leave(block.ksr, block.running & ~table_.awake);
  accounts_.kernels().join(block.ksr, block.running & table_.awake);
}

void SmCore::reach_barrier(std::uint32_t slot, const Instruction& code) {
  ResidentBlock& block = table_.blocks[table_.warps[slot].block];
  block.barriers[code.barrier].arrive(bit(slot), code);
  if (!code.arrives) table_.at_barrier |= bit(slot);
  table_.update_derived();
  release_barriers(block);
  if (!manager_ || (table_.at_barrier & bit(slot)) == 0) return;
  manager_->wait(slot);
  update_pending();
}

void SmCore::release_barriers(ResidentBlock& block) {
  WarpMask released = 0;
  for (Barrier& barrier : block.barriers) {
    if (!barrier.opens(block.running)) continue;
    table_.at_barrier &= ~barrier.waiting;
    table_.update_derived();
    released |= barrier.waiting;
    barrier = Barrier{};
  }
  if (!manager_ || released == 0) return;
  manager_->go_on(released);
  update_pending();
}

void SmCore::end_warp(std::uint32_t slot) {
  const WarpMask me = bit(slot);
  look_at_next(slot);
  table_.live &= ~me;
  table_.at_fence &= ~me;
  table_.update_derived();
  ResidentBlock& block = table_.blocks[table_.warps[slot].block];
  block.running &= ~me;
  schedulers_[slot % spec_.schedulers]->ended(slot);
  release_barriers(block);
  retire_if_done(slot);
}

void SmCore::retire_if_done(std::uint32_t slot) {
  const WarpMask me = bit(slot);
  const Warp& warp = table_.warps[slot];
  const bool lives = (table_.live & me) != 0;
  if ((lives && swapping_ == 0) || warp.in_flight > 0 || warp.stores > 0) return;
  ResidentBlock& block = table_.blocks[warp.block];
  if (lives) return advance_swap(block);
  used_slots_ &= ~me;
  if (accounts_.kernels().on()) accounts_.kernels().leave(block.ksr, me);
  if (manager_) manager_->end_warp(slot);
  if (--block.warps_left == 0) return finish(block);
  if (manager_) {
    --used_.warps;
    listener_.warp_done();
    update_pending();
  }
  if (swapping_ > 0) advance_swap(block);
}

void SmCore::finish(ResidentBlock& block) {
  if (!block.flushed) ++counts_[block.account].blocks;
  ended_.push_back({kernels_[block.ksr.value].program, block.stream, block.block, block.flushed});
  free_resources(block);
  if (manager_) {
    manager_->end_block(static_cast<std::uint32_t>(&block - table_.blocks.data()));
    update_pending();
  }
  SmWork work = work_of(block);
  work += block.earlier;
  if (block.flushed) return listener_.block_flushed(block.ksr, block.block, work);
  work.blocks = 1;
  listener_.block_done(block.ksr, block.block, work);
}

void SmCore::give_back_ended_blocks() {
  for (const EndedBlock& ended : ended_) {
    if (ended.flushed)
      ended.program->drop(*ended.stream, ended.block);
    else
      ended.program->finish(*ended.stream);
  }
  ended_.clear();
}

void SmCore::free_resources(ResidentBlock& block) {
  add_work(counts_[block.account], block);
  if (block.swap_stage != SwapStage::kNone) set_stage(block, SwapStage::kNone);
  block.stream = nullptr;
  used_ -= held_at_end(block.need, limits_);
  --resident_;
  if (accounts_.kernels().on()) accounts_.kernels().end(block.ksr);
  if (kernels_[block.ksr.value].limit != kNoLimit) apply_limit(block.ksr);
}

}  // namespace heddle
