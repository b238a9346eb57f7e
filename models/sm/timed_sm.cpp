#include "models/sm/timed_sm.h"

#include <algorithm>

#include "models/core/link/memory_request.h"
#include "models/sm/timed/residence_time.h"

namespace heddle {

namespace {

constexpr std::uint64_t kRegisterBytes = 4;
constexpr std::uint64_t kWarpStateBytes = kLineBytes;  // program counter and SIMT stack, as on a cycle SM

}  // namespace

TimedSm::TimedSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs,
                 std::uint64_t set_up_cycles, ClockDomain& core, std::uint64_t shares)
    : SmModule(name, spec, ksrs, set_up_cycles, core, shares),
      shares_(shares > 0),
      timer_(ksrs, spec.limits.block_slots),
      transfers_(spec.limits.block_slots) {
  halted_.reserve(spec.limits.block_slots);
  cut_short_.reserve(spec.limits.block_slots);
  if (!shares_) return;
  stats_.add(saved_bytes_, "saved_bytes", "byte", "states of blocks that were stored to device memory");
  stats_.add(restored_bytes_, "restored_bytes", "byte", "states of blocks that were loaded from there");
}

void TimedSm::reset() {
  SmModule::reset();
  timer_.reset();
  transfers_.reset();
  issued_ = 0;
}

void TimedSm::tick(Cycle now) {
  end_blocks(now);
  if (!transfers_.empty()) end_transfers(now);
  answer_set_ups(now);
  take_requests(now);
  send_replies();
  core_.wake_at(sleeper_, timer_.next_end());
  if (!transfers_.empty()) core_.wake_at(sleeper_, transfers_.next_end());
  core_.wake_at(sleeper_, next_request(now));
}

void TimedSm::start(KsrId ksr, BlockId block, const std::shared_ptr<const ClusterPlaces>&, Cycle now) {
  HEDDLE_CHECK(program(ksr).launch.block_cycles > 0, basename(), now, "block {} has no time", block.value);
  const KernelLaunch& launch = program(ksr).launch;
  timer_.add({issued_++, ksr, block}, {residence_of(launch, block), 0}, now, shares_ ? launch.port_load : 0);
}

void TimedSm::save(KsrId ksr, BlockId block, std::uint32_t area, Cycle now) {
  HEDDLE_CHECK(shares_, basename(), now, "block {} is to be saved, and the SM has no share of bandwidth",
               block.value);
  if (const std::optional<Progress> left = timer_.remove(ksr, block, now)) {
    const std::shared_ptr<SavedBlock> state = states_.take();
    *state = SavedBlock{};
    state->area = area;
    state->left = *left;
    return transfers_.add({ksr, block, issued_++, state, false}, state_bytes(ksr), now);
  }
  if (const auto load = transfers_.give_up(ksr, block, now)) {  // its state in memory is as it was
    state_moved();
    block_saved(ksr, block, load->state, now);
  }
  state_moved();
}

void TimedSm::go_on(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved, Cycle now) {
  HEDDLE_CHECK(shares_, basename(), now, "block {} is to go on, and the SM has no share of bandwidth",
               block.value);
  transfers_.add({ksr, block, issued_++, saved, true}, state_bytes(ksr), now);
}

// A block whose state is being loaded stops, too.
void TimedSm::flush(KsrId ksr, BlockId block, Cycle now) {
  if (!timer_.remove(ksr, block, now)) {
    if (!transfers_.give_up(ksr, block, now)) return;  // it has ended
    state_moved();
  }
  block_flushed(ksr, block, {}, now);
}

void TimedSm::halt(KsrId ksr, Cycle now) {
  halted_.clear();
  cut_short_.clear();
  timer_.remove_all(ksr, halted_, now);
  transfers_.remove_all(ksr, cut_short_, now);
  for (const StateTransfers::Transfer& transfer : cut_short_) {
    halted_.push_back({transfer.number, ksr, transfer.block});
    state_moved();
  }
  std::sort(halted_.begin(), halted_.end(),
            [](const BlockTimer::Block& a, const BlockTimer::Block& b) { return a.number < b.number; });
  for (const BlockTimer::Block& block : halted_) block_done(ksr, block.block, SmWork{0, 0, 1}, now);
}

void TimedSm::limit(KsrId ksr, std::uint32_t blocks, Cycle now) {
  HEDDLE_CHECK(false, basename(), now, "a limit of {} blocks for KSR {}: timed blocks cannot be paused",
               blocks, ksr.value);
}

void TimedSm::share(const BandwidthTable& table, Cycle now) {
  timer_.set_rates(table.rates, now);
  transfers_.set_rate(table.state_bytes, now);
}

void TimedSm::end_blocks(Cycle now) {
  while (timer_.next_end() <= now) {
    const BlockTimer::Block done = timer_.take_ended(now);
    block_done(done.ksr, done.block, SmWork{0, 0, 1}, now);
  }
}

void TimedSm::end_transfers(Cycle now) {
  while (transfers_.next_end() <= now) {
    const StateTransfers::Transfer done = transfers_.take_ended(now);
    state_moved();
    if (done.loads) {
      restored_bytes_ += state_bytes(done.ksr);
      timer_.add({done.number, done.ksr, done.block}, done.state->left, now,
                 program(done.ksr).launch.port_load);
      block_restored(done.ksr, done.block);
    } else {
      saved_bytes_ += state_bytes(done.ksr);
      block_saved(done.ksr, done.block, done.state, now);
    }
  }
}

// Returns what a block of the kernel holds, rounded up as the SM allocates it, and a line for each warp.
std::uint64_t TimedSm::state_bytes(KsrId ksr) const {
  const BlockResources& need = program(ksr).need;
  return kRegisterBytes * need.registers + need.shared_bytes + kWarpStateBytes * need.warps;
}

}  // namespace heddle
