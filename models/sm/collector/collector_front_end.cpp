#include "models/sm/collector/collector_front_end.h"

#include <algorithm>

#include "models/core/kernel/address_spaces.h"
#include "models/sm/pipeline/request_number.h"

namespace heddle {

CollectorFrontEnd::CollectorFrontEnd(const CycleSmSpec& spec, IssueTable& table,
                                     const ResidentTable& resident, AccountTable<KernelCounts>& counts)
    : width_(std::min(spec.fetch_width, spec.buffer_entries)),
      line_bytes_(spec.instruction_cache.line_bytes),
      latency_(spec.instruction_cache.latency),
      branch_latency_(spec.branch_latency),
      line_shift_(static_cast<std::uint32_t>(__builtin_ctz(line_bytes_))),
      table_(table),
      resident_(resident),
      cache_(spec.instruction_cache),
      stream_(spec.prefetched_lines, spec.instruction_cache.line_bytes),
      fetched_(spec.instruction_cache.latency + 1),
      redirected_(kMostWarps),
      requests_(std::max(1u, spec.instruction_cache.miss_queue)),
      counts_(counts) {}

void CollectorFrontEnd::reset() {
  cache_.reset();
  stream_.stop();
  stream_waits_ = false;
  fetched_.clear();
  redirected_.clear();
  redirect_due_ = Cycle::never();
  requests_.clear();
  guesses_ = {};
  busy_ = filled_ = 0;
  last_ = kMostWarps - 1;
}

WarpMask CollectorFrontEnd::decode(Cycle now) {
  if (!has_fetched(now)) return 0;
  const std::uint32_t slot = fetched_.front().warp;
  const Instruction* first = fetched_.front().first;
  fetched_.pop();
  busy_ &= ~bit(slot);
  if (first == nullptr) return 0;
  IssueWarp& warp = table_.warps[slot];
  warp.buffer[0] = first;
  warp.buffered = 1;
  while (warp.buffered < width_) {
    const Instruction* next = warp.stream->peek(warp.number, warp.buffered);
    if (next == nullptr || ((next->pc ^ first->pc) & ~(line_bytes_ - 1)) != 0) break;
    warp.buffer[warp.buffered++] = next;
  }
  return bit(slot);
}

void CollectorFrontEnd::drop(std::uint32_t slot) {
  filled_ &= ~bit(slot);
  for (std::size_t i = 0; i < fetched_.size(); ++i)
    if (fetched_[i].warp == slot) fetched_[i].first = nullptr;
  for (std::size_t i = 0; i < redirected_.size(); ++i) {
    if (redirected_[i].warp != slot) continue;
    redirected_[i].warp = kMostWarps;
    busy_ &= ~bit(slot);
  }
}

void CollectorFrontEnd::redirect(std::uint32_t slot, Cycle now) {
  if (branch_latency_ == 0) return;
  busy_ |= bit(slot);
  redirected_.push({now + branch_latency_, slot});
  redirect_due_ = redirected_.front().due;
}

void CollectorFrontEnd::end_redirects(Cycle now) {
  for (; !redirected_.empty() && redirected_.front().due <= now; redirected_.pop())
    if (redirected_.front().warp != kMostWarps) busy_ &= ~bit(redirected_.front().warp);
  redirect_due_ = redirected_.empty() ? Cycle::never() : redirected_.front().due;
}

void CollectorFrontEnd::look_up(std::uint32_t slot, Cycle now) {
  const IssueWarp& warp = table_.warps[slot];
  const ResidentBlock& block = resident_.blocks[warp.block];
  const Instruction* first = warp.stream->peek(warp.number, 0);
  ++counts_[block.account].fetches;
  if (cache_.exists()) {
    const Address key = key_of(block, first->pc);
    stream_.fetched(block.account, line_of(first->pc));
    if (!cache_.hit(key, Cache::kWholeLine, guesses_[(first->pc >> line_shift_) % guesses_.size()])) {
      last_ = slot;  // a refused warp has used its turn
      if (miss(slot, first->pc, key, now)) busy_ |= bit(slot);
      return;
    }
  }
  if (tracer_ != nullptr) tracer_->fetch(slot, first->pc, true, now);
  filled_ &= ~bit(slot);
  last_ = slot;
  busy_ |= bit(slot);
  fetched_.push({now + latency_, first, slot});
}

bool CollectorFrontEnd::is_awaited(Address key) const {
  bool awaited = false;
  for_each_slot(filled_ & resident_.live, [&](std::uint32_t slot) {
    const IssueWarp& warp = table_.warps[slot];
    const std::uint32_t pc = warp.stream->peek(warp.number, 0)->pc;
    awaited = awaited || key_of(resident_.blocks[warp.block], pc) == key;
  });
  return awaited;
}

bool CollectorFrontEnd::evicts_awaited(Address key) const {
  if (filled_ == 0) return false;
  const std::optional<Address> victim = cache_.victim_of(key);
  return victim && is_awaited(*victim);
}

bool CollectorFrontEnd::miss(std::uint32_t slot, std::uint32_t pc, Address key, Cycle now) {
  if (evicts_awaited(key)) return false;
  const Cache::Result result = cache_.load(key, Cache::kWholeLine, slot);
  if (tracer_ != nullptr && result.outcome <= Cache::Outcome::kMiss) tracer_->fetch(slot, pc, false, now);
  if (result.outcome == Cache::Outcome::kMerged) return true;
  if (result.outcome != Cache::Outcome::kMiss) return false;
  const ResidentBlock& block = resident_.blocks[table_.warps[slot].block];
  request(block, pc, slot, result.mshr, now);
  stream_.missed(table_.warps[slot].block, block.account, line_of(pc));
  return true;
}

// The stream ends with the block whose warp missed, so that no line is requested for a launch that is over.
void CollectorFrontEnd::prefetch(Cycle now) {
  const ResidentBlock& block = resident_.blocks[stream_.block_slot()];
  if (block.stream == nullptr || block.account != stream_.account() || block.running == 0)
    return stream_.stop();
  const Address key = key_of(block, stream_.pc());
  if (evicts_awaited(key)) {
    stream_waits_ = true;
    return;
  }
  const Cache::Result result = cache_.prefetch(key, Cache::kWholeLine);
  stream_waits_ = result.outcome == Cache::Outcome::kNoMshr || result.outcome == Cache::Outcome::kNoLine;
  if (stream_waits_) return;
  if (result.outcome == Cache::Outcome::kMiss)
    request(block, stream_.pc(), lowest(block.running), result.mshr, now);
  stream_.pop();
}

void CollectorFrontEnd::request(const ResidentBlock& block, std::uint32_t pc, std::uint32_t slot,
                                std::uint32_t mshr, Cycle now) {
  ++counts_[block.account].fetch_misses;
  MemoryRequest request;
  request.address = code_address(block.tag, pc) & ~Address{line_bytes_ - 1};
  request.bytes = line_bytes_;
  request.kind = RequestKind::kInstruction;
  request.context = block.context;
  request.account = block.account;
  request.warp = slot;
  request.number = RequestNumber{RequestNumber::Answers::kFetch, 0, mshr}.packed();
  if (tracer_ != nullptr) request.trace = tracer_->request(request, now);
  requests_.push(request);
}

void CollectorFrontEnd::answer(std::uint32_t mshr, Cycle /*now*/) {
  stream_waits_ = false;
  cache_.fill(mshr, Cache::kWholeLine, [this](Cache::Waiter slot) {
    busy_ &= ~bit(slot);
    filled_ |= bit(slot);
  });
}

Cycle CollectorFrontEnd::next_wake(Cycle now) const {
  if (((resident_.live & ~table_.next.buffered & ~busy_) != 0 && !requests_.full()) || may_prefetch())
    return now + 1;
  const Cycle decode = fetched_.empty() ? Cycle::never() : fetched_.front().due;
  return std::max(std::min(decode, redirect_due_), now + 1);
}

}  // namespace heddle
