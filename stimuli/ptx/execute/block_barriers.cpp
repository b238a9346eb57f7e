// How a block's warps meet at barriers.

#include <fmt/format.h>

#include "stimuli/ptx/execute/block_stream.h"

namespace heddle::ptx {

void PtxBlockStream::barrier(const Now& now, IssuedInstruction& issued) {
  Instruction& code = now.warp.barrier;
  code = *issued.code;
  issued.code = &code;
  if (now.active == 0) {
    code.operation = Operation::kNop;
    return;
  }
  const int lane = __builtin_ctz(now.active);
  const auto number = now.warp.words_at(now.step.source[0])[lane];
  if (number >= kBarriers)
    fault(now, static_cast<std::uint32_t>(lane), fmt::format("barrier {} of 16", number));
  std::uint32_t expected = 0;
  if (now.step.sources > 1 && now.step.source[1].base != RowBase::kNull) {
    const std::uint32_t threads = now.warp.words_at(now.step.source[1])[lane];
    if (threads == 0 || threads % kLanes != 0 || threads > warps_.size() * kLanes)
      fault(now, static_cast<std::uint32_t>(lane),
            fmt::format("a barrier for {} threads; a block of {} threads takes whole warps of its own",
                        threads, threads_));
    expected = threads / kLanes;
  }
  code.barrier = static_cast<std::uint8_t>(number);
  code.barrier_warps = static_cast<std::uint8_t>(expected);
  code.arrives = now.step.statement->opcode == Opcode::kBarArrive;
  arrive(now, code);
}

void PtxBlockStream::arrive(const Now& now, const Instruction& code) {
  Reduction& reduction = barriers_[code.barrier];
  reduction.barrier.arrive(std::uint64_t{1} << now.number, code);
  if (now.step.statement->opcode == Opcode::kBarRed) {
    std::uint32_t predicate = *now.warp.words_at(now.step.source[2]);
    if (now.step.negated) predicate = ~predicate;
    reduction.holds += static_cast<std::uint32_t>(__builtin_popcount(predicate & now.active));
    reduction.threads += static_cast<std::uint32_t>(__builtin_popcount(now.active));
    reduction.waiting.push_back({now.number, now.active, &now.step});
  }
  open_barriers();
}

// The SM opens barriers by the same rule; here it tells when a reduction's result is known.
void PtxBlockStream::open_barriers() {
  for (Reduction& reduction : barriers_) {
    if (!reduction.barrier.opens(live_)) continue;
    for (const Reduction::Waiting& waiting : reduction.waiting) {
      const Variant variant = waiting.step->statement->variant;
      std::uint32_t* const to = warps_[waiting.warp].words_at(waiting.step->destination[0]);
      if (variant == Variant::kPopc) {
        for (std::uint32_t left = waiting.lanes; left != 0; left &= left - 1)
          to[__builtin_ctz(left)] = reduction.holds;
      } else {
        const bool holds =
            variant == Variant::kAnd ? reduction.holds == reduction.threads : reduction.holds != 0;
        *to = holds ? *to | waiting.lanes : *to & ~waiting.lanes;
      }
    }
    reduction = {};
  }
}

}  // namespace heddle::ptx
