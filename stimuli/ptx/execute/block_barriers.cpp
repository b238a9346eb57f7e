#include "stimuli/ptx/execute/block_barriers.h"

#include <fmt/format.h>

namespace heddle::ptx {

void BlockBarriers::start() {
  barriers_.fill({});
  held_ = 0;
  running_ = warps_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << warps_.size()) - 1;
}

void BlockBarriers::end_warp(std::uint32_t number) {
  running_ &= ~(std::uint64_t{1} << number);
  open();
}

void BlockBarriers::arrive(const WarpStep& at, IssuedInstruction& issued) {
  Instruction& code = at.warp.barrier;
  code = *issued.code;
  issued.code = &code;
  if (at.active == 0) {
    code.operation = Operation::kNop;
    return;
  }
  code = resolve(at, code);
  arrived_[at.number] = {at.warp.frame().code, at.warp.stack().pc(), code.barrier};
  if (at.active != at.warp.live()) note_divergence(at, code.barrier);
  // A warp that does not wait, and a reduction, change what the other warps find.
  if (state_.is_watched && (code.arrives || at.step.statement->opcode == Opcode::kBarRed))
    state_.memory.note_change();
  Reduction& reduction = barriers_[code.barrier];
  reduction.barrier.arrive(std::uint64_t{1} << at.number, code);
  if (at.step.statement->opcode == Opcode::kBarRed) {
    std::uint32_t predicate = *at.warp.words_at(at.step.source[2]);
    if (at.step.negated) predicate = ~predicate;
    reduction.holding += static_cast<std::uint32_t>(__builtin_popcount(predicate & at.active));
    reduction.threads += static_cast<std::uint32_t>(__builtin_popcount(at.active));
    reduction.arrivals.push_back({at.number, at.active, &at.step});
  }
  open();
}

Instruction BlockBarriers::resolve(const WarpStep& at, const Instruction& issued) const {
  const std::uint32_t lane = at.first_lane();
  const std::uint32_t number = at.warp.words_at(at.step.source[0])[lane];
  if (number >= kBarriers) faults_.raise(at, lane, fmt::format("barrier {} of 16", number));
  std::uint32_t expected = 0;
  if (at.step.sources > 1 && at.step.source[1].base != RowBase::kNull) {
    const std::uint32_t threads = at.warp.words_at(at.step.source[1])[lane];
    if (threads == 0 || threads % kLanes != 0 || threads > warps_.size() * kLanes)
      faults_.raise(
          at, lane,
          fmt::format("a barrier for {} threads; a block of {} threads takes whole warps of its own", threads,
                      threads_));
    expected = threads / kLanes;
  }
  Instruction code = issued;
  code.barrier = static_cast<std::uint8_t>(number);
  code.barrier_warps = static_cast<std::uint8_t>(expected);
  code.arrives = at.step.statement->opcode == Opcode::kBarArrive;
  return code;
}

// The SM opens barriers by the same rule. A reduction's result is known when its barrier opens.
void BlockBarriers::open() {
  held_ = 0;
  for (Reduction& reduction : barriers_) {
    if (reduction.barrier.opens(running_)) {
      for (const Arrival& arrival : reduction.arrivals) write_result(reduction, arrival);
      reduction = {};
    }
    held_ |= reduction.barrier.waiting;
  }
}

std::string BlockBarriers::place_of(std::uint32_t number) const {
  const Place& place = arrived_[number];
  return fmt::format("waits at barrier {}, {}", place.barrier, faults_.place_of(*place.code, place.step));
}

void BlockBarriers::note_divergence(const WarpStep& at, std::uint32_t barrier) {
  DivergentBarriers* const found = state_.launch.divergent_barriers;
  if (found == nullptr) return;
  const std::unique_lock<std::mutex> lock = state_.memory.lock_unallocated();
  found->add({faults_.now().value, faults_.block_number()}, [&] {
    return faults_.message(at, at.first_lane(),
                           fmt::format("barrier {} is reached by {} of {} lanes of a warp", barrier,
                                       __builtin_popcount(at.active), __builtin_popcount(at.warp.live())));
  });
}

void BlockBarriers::write_result(const Reduction& reduction, const Arrival& arrival) {
  const Variant variant = arrival.step->statement->variant;
  std::uint32_t* const to = warps_[arrival.warp].words_at(arrival.step->destination[0]);
  if (variant == Variant::kPopc) {
    for_each_lane(arrival.lanes, [&](std::uint32_t lane) { to[lane] = reduction.holding; });
    return;
  }
  const bool holds =
      variant == Variant::kAnd ? reduction.holding == reduction.threads : reduction.holding != 0;
  *to = holds ? *to | arrival.lanes : *to & ~arrival.lanes;
}

}  // namespace heddle::ptx
