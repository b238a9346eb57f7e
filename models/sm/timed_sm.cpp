#include "models/sm/timed_sm.h"

#include <algorithm>

#include "models/sm/residence.h"

namespace heddle {

TimedSm::TimedSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs,
                 std::uint64_t set_up_cycles, ClockDomain& core)
    : sc_core::sc_module(name),
      spec_(spec),
      set_up_cycles_(set_up_cycles),
      core_(core),
      sleeper_(core.add(*this)),
      inbox_(basename(), core, sleeper_, spec.limits.block_slots + ksrs),
      programs_(ksrs),
      setting_up_(ksrs),
      stats_(basename()) {
  dispatch.bind(inbox_);
  running_.reserve(spec.limits.block_slots);
  stats_.add(blocks_started_, "blocks_started", "block", "thread blocks started");
  stats_.add(blocks_done_, "blocks_done", "block", "thread blocks that ran to their end");
  stats_.add(busy_cycles_, "busy_cycles", "cycle", "core cycles with at least one block resident");
  stats_.add(block_cycles_, "block_cycles", "block*cycle", "resident blocks summed over core cycles");
  stats_.add(
      slot_cycles_, "slot_cycles", "block*cycle",
      "blocks of the kernel at hand that would fit, summed over the core cycles with a block resident");
  stats_.add_formula("fill", "1", "resident blocks per block that would fit, while busy", {block_cycles_},
                     {slot_cycles_});
}

void TimedSm::tick(Cycle now) {
  account(now);
  finish_due(now);
  answer_set_ups(now);
  for (; inbox_.has(now); inbox_.pop()) {
    const SmRequest& request = inbox_.front();
    if (request.kind == SmRequest::Kind::kSetUp)
      set_up(request, now);
    else
      start(request, now);
  }
  if (!running_.empty()) core_.wake_at(sleeper_, running_.front().end);
  if (!setting_up_.empty()) core_.wake_at(sleeper_, setting_up_.front().ready);
  core_.wake_at(sleeper_, inbox_.due());
}

void TimedSm::set_up(const SmRequest& request, Cycle now) {
  Program& program = programs_[request.ksr.value];
  program.launch = request.launch;
  program.need = resources_of(request.launch.shape, spec_.limits);
  program.residency = residency_of(request.launch.shape, spec_.limits).blocks;
  program.registers = {request.launch.context, request.page_table, request.texture_table};
  slots_ = program.residency;
  setting_up_.push({now + set_up_cycles_, request.ksr});
}

void TimedSm::answer_set_ups(Cycle now) {
  for (; !setting_up_.empty() && setting_up_.front().ready <= now; setting_up_.pop())
    dispatch->receive({SmReply::Kind::kReady, setting_up_.front().ksr, BlockId{}}, 1);
}

void TimedSm::start(const SmRequest& request, Cycle now) {
  const Program& program = programs_[request.ksr.value];
  HEDDLE_CHECK(program.residency > 0, basename(), now, "block {} before its set-up", request.block.value);
  HEDDLE_CHECK(fits(used_, program.need, spec_.limits), basename(), now, "block {} does not fit",
               request.block.value);
  used_ += program.need;
  ++blocks_started_;
  running_.push_back(
      {now + residence_of(program.launch, request.block), issued_++, request.ksr, request.block});
  std::push_heap(running_.begin(), running_.end(), later);
}

void TimedSm::finish_due(Cycle now) {
  while (!running_.empty() && running_.front().end <= now) {
    std::pop_heap(running_.begin(), running_.end(), later);
    const Running done = running_.back();
    running_.pop_back();
    used_ -= programs_[done.ksr.value].need;
    ++blocks_done_;
    dispatch->receive({SmReply::Kind::kBlockDone, done.ksr, done.block}, 1);
  }
}

bool TimedSm::later(const Running& a, const Running& b) {
  return a.end != b.end ? a.end > b.end : a.number > b.number;
}

void TimedSm::account(Cycle now) {
  const std::uint64_t cycles = now - accounted_;
  accounted_ = now;
  if (running_.empty()) return;
  busy_cycles_ += cycles;
  block_cycles_ += cycles * running_.size();
  slot_cycles_ += cycles * std::max<std::uint64_t>(slots_, running_.size());
}

void TimedSm::settle_stats() {
  account(core_.now());
}

}  // namespace heddle
