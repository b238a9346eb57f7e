#include "models/sm/timed_sm.h"

#include <algorithm>

#include "models/sm/residence.h"

namespace heddle {

TimedSm::TimedSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs,
                 std::uint64_t set_up_cycles, ClockDomain& core)
    : SmModule(name, spec, ksrs, set_up_cycles, core) {
  running_.reserve(spec.limits.block_slots);
}

void TimedSm::reset() {
  SmModule::reset();
  running_.clear();
  issued_ = 0;
}

void TimedSm::tick(Cycle now) {
  finish_due(now);
  answer_set_ups(now);
  take_requests(now);
  if (!running_.empty()) core_.wake_at(sleeper_, running_.front().end);
  core_.wake_at(sleeper_, next_request());
}

void TimedSm::start(KsrId ksr, BlockId block, Cycle now) {
  HEDDLE_CHECK(program(ksr).launch.block_cycles > 0, basename(), now, "block {} has no time", block.value);
  running_.push_back({now + residence_of(program(ksr).launch, block), issued_++, ksr, block});
  std::push_heap(running_.begin(), running_.end(), later);
}

void TimedSm::halt(KsrId ksr) {
  const auto first = std::partition(running_.begin(), running_.end(),
                                    [ksr](const Running& block) { return block.ksr != ksr; });
  std::vector<Running> halted(first, running_.end());
  running_.erase(first, running_.end());
  std::make_heap(running_.begin(), running_.end(), later);
  std::sort(halted.begin(), halted.end(),
            [](const Running& a, const Running& b) { return a.number < b.number; });
  for (const Running& running : halted) block_done(running.ksr, running.block, SmWork{0, 0, 1});
}

void TimedSm::limit(KsrId ksr, std::uint32_t blocks, Cycle now) {
  HEDDLE_CHECK(false, basename(), now, "a limit of {} blocks for KSR {}: timed blocks cannot be paused",
               blocks, ksr.value);
}

void TimedSm::save(KsrId, BlockId block, SavedBlock&, Cycle now) {
  HEDDLE_CHECK(false, basename(), now, "block {} is to be saved: timed blocks have no state", block.value);
}

void TimedSm::go_on(KsrId, BlockId block, const SavedBlock&, Cycle now) {
  HEDDLE_CHECK(false, basename(), now, "block {} is to go on: timed blocks have no state", block.value);
}

void TimedSm::finish_due(Cycle now) {
  while (!running_.empty() && running_.front().end <= now) {
    std::pop_heap(running_.begin(), running_.end(), later);
    const Running done = running_.back();
    running_.pop_back();
    block_done(done.ksr, done.block, SmWork{0, 0, 1});
  }
}

bool TimedSm::later(const Running& a, const Running& b) {
  return a.end != b.end ? a.end > b.end : a.number > b.number;
}

}  // namespace heddle
