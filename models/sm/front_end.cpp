#include "models/sm/front_end.h"

#include <algorithm>

#include "models/sm/address_spaces.h"

namespace heddle {

FrontEnd::FrontEnd(const CycleSmSpec& spec)
    : width_(std::min(spec.fetch_width, spec.buffer_entries)),
      line_bytes_(spec.instruction_cache.line_bytes),
      latency_(spec.instruction_cache.latency),
      cache_(spec.instruction_cache),
      fetched_(spec.instruction_cache.latency + 1),
      requests_(std::max(1u, spec.instruction_cache.miss_queue)) {}

WarpMask FrontEnd::decode(WarpTable& table, Cycle now) {
  if (fetched_.empty() || fetched_.front().due > now) return 0;
  const std::uint32_t slot = fetched_.front().warp;
  fetched_.pop();
  busy_ &= ~bit(slot);
  Warp& warp = table.warps[slot];
  const Instruction* first = warp.stream->peek(warp.number, 0);
  warp.buffer[0] = first;
  warp.buffered = 1;
  while (warp.buffered < width_) {
    const Instruction* next = warp.stream->peek(warp.number, warp.buffered);
    if (next == nullptr || next->pc / line_bytes_ != first->pc / line_bytes_) break;
    warp.buffer[warp.buffered++] = next;
  }
  return bit(slot);
}

void FrontEnd::look_up(const Warp& warp, std::uint32_t slot, const Code& code, Cycle now) {
  const std::uint32_t pc = warp.stream->peek(warp.number, 0)->pc;
  ++accesses_;
  if (cache_.exists()) {
    // A kernel's code is told from another's by context and tag; its address is all L2 sees.
    const Address line = (Address{code.tag} << 32 | pc) & ~Address{line_bytes_ - 1};
    const Cache::Result result = cache_.load(Cache::key(code.context.value, line), 0xf, slot);
    switch (result.outcome) {
      case Cache::Outcome::kNoLine:
      case Cache::Outcome::kNoMshr:
      case Cache::Outcome::kNoMerge:
        return;
      case Cache::Outcome::kMiss:
        ++misses_;
        requests_.push({code_address(code.tag, pc) & ~Address{line_bytes_ - 1},
                        line_bytes_,
                        RequestKind::kInstruction,
                        false,
                        0,
                        code.context,
                        code.kernel,
                        slot,
                        result.mshr,
                        {}});
        [[fallthrough]];
      case Cache::Outcome::kMerged:
        last_ = slot;
        busy_ |= bit(slot);
        return;
      case Cache::Outcome::kHit:
        break;
    }
  }
  last_ = slot;
  busy_ |= bit(slot);
  fetched_.push({now + latency_, slot});
}

void FrontEnd::answer(std::uint64_t number) {
  cache_.fill(static_cast<std::uint32_t>(number), 0xf, [this](Cache::Waiter slot) { busy_ &= ~bit(slot); });
}

Cycle FrontEnd::next_wake(const WarpTable& table, Cycle now) const {
  if ((table.live & ~table.buffered & ~busy_) != 0 && !requests_.full()) return now + 1;
  return fetched_.empty() ? Cycle::never() : std::max(fetched_.front().due, now + 1);
}

}  // namespace heddle
