#include "models/sm/front_end.h"

#include <algorithm>

#include "models/sm/address_spaces.h"

namespace heddle {

namespace {

constexpr Cache::Sectors kWholeLine = 0xf;

}  // namespace

FrontEnd::FrontEnd(const CycleSmSpec& spec, Group& stats)
    : width_(std::min(spec.fetch_width, spec.buffer_entries)),
      line_bytes_(spec.instruction_cache.line_bytes),
      latency_(spec.instruction_cache.latency),
      cache_(spec.instruction_cache),
      fetched_(spec.instruction_cache.latency + 1),
      requests_(std::max(1u, spec.instruction_cache.miss_queue)) {
  stats.add(fetches_, "fetches", "access", "accesses of the instruction cache, tried-again ones included");
  stats.add(fetch_misses_, "fetch_misses", "access", "lines the instruction cache asked for at L2");
}

void FrontEnd::reset() {
  cache_.reset();
  fetched_.clear();
  requests_.clear();
  busy_ = 0;
  last_ = kMostWarps - 1;
}

WarpMask FrontEnd::decode(WarpTable& table, Cycle now) {
  if (fetched_.empty() || fetched_.front().due > now) return 0;
  const std::uint32_t slot = fetched_.front().warp;
  const Instruction* first = fetched_.front().first;
  fetched_.pop();
  busy_ &= ~bit(slot);
  if (first == nullptr) return 0;
  Warp& warp = table.warps[slot];
  warp.buffer[0] = first;
  warp.buffered = 1;
  while (warp.buffered < width_) {
    const Instruction* next = warp.stream->peek(warp.number, warp.buffered);
    if (next == nullptr || ((next->pc ^ first->pc) & ~(line_bytes_ - 1)) != 0) break;
    warp.buffer[warp.buffered++] = next;
  }
  return bit(slot);
}

void FrontEnd::drop(std::uint32_t slot) {
  for (std::size_t i = 0; i < fetched_.size(); ++i)
    if (fetched_[i].warp == slot) fetched_[i].first = nullptr;
}

void FrontEnd::look_up(const WarpTable& table, std::uint32_t slot, Cycle now) {
  const Warp& warp = table.warps[slot];
  const Instruction* first = warp.stream->peek(warp.number, 0);
  ++fetches_;
  if (cache_.exists()) {
    // The key distinguishes the code of kernels by context and tag. L2 receives the address alone.
    const ResidentBlock& block = table.blocks[warp.block];
    const Address line = (Address{block.tag} << 32 | first->pc) & ~Address{line_bytes_ - 1};
    const Address key = Cache::key(block.context.value, line);
    if (!cache_.hit(key, kWholeLine)) {
      // A refused warp has used its turn. Other warps whose line has arrived can thus fetch from it before it
      // is evicted.
      last_ = slot;
      if (miss(block, slot, first->pc, key)) busy_ |= bit(slot);
      return;
    }
  }
  last_ = slot;
  busy_ |= bit(slot);
  fetched_.push({now + latency_, first, slot});
}

bool FrontEnd::miss(const ResidentBlock& block, std::uint32_t slot, std::uint32_t pc, Address key) {
  const Cache::Result result = cache_.load(key, kWholeLine, slot);
  if (result.outcome == Cache::Outcome::kMerged) return true;
  if (result.outcome != Cache::Outcome::kMiss) return false;
  ++fetch_misses_;
  MemoryRequest request;
  request.address = code_address(block.tag, pc) & ~Address{line_bytes_ - 1};
  request.bytes = line_bytes_;
  request.kind = RequestKind::kInstruction;
  request.context = block.context;
  request.kernel = block.ksr;
  request.warp = slot;
  request.number = result.mshr;
  requests_.push(request);
  return true;
}

void FrontEnd::answer(std::uint64_t number) {
  cache_.fill(static_cast<std::uint32_t>(number), kWholeLine,
              [this](Cache::Waiter slot) { busy_ &= ~bit(slot); });
}

Cycle FrontEnd::next_wake(const WarpTable& table, Cycle now) const {
  if ((table.live & ~table.buffered & ~busy_) != 0 && !requests_.full()) return now + 1;
  return fetched_.empty() ? Cycle::never() : std::max(fetched_.front().due, now + 1);
}

}  // namespace heddle
