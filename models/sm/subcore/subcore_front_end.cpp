#include "models/sm/subcore/subcore_front_end.h"

#include <algorithm>

#include "models/core/kernel/address_spaces.h"
#include "models/sm/pipeline/request_number.h"

namespace heddle {

namespace {

// A waiter of L1 is an MSHR of the L0 of a sub-core.
std::uint32_t waiter_of(std::size_t subcore, std::uint32_t mshr) {
  return static_cast<std::uint32_t>(subcore) << 16 | mshr;
}

}  // namespace

SubcoreFrontEnd::Subcore::Subcore(const SubcoreSpec& spec)
    : cache(spec.instruction_cache), stream(spec.prefetched_lines, spec.instruction_cache.line_bytes) {}

SubcoreFrontEnd::SubcoreFrontEnd(const CycleSmSpec& spec, IssueTable& table, const ResidentTable& resident,
                                 AccountTable<KernelCounts>& counts)
    : spec_(spec),
      line_bytes_(spec.instruction_cache.line_bytes),
      line_shift_(static_cast<std::uint32_t>(__builtin_ctz(line_bytes_))),
      warps_of_first_(warps_of_first(spec.schedulers)),
      table_(table),
      resident_(resident),
      counts_(counts),
      l1_(spec.instruction_cache),
      fetched_(std::size_t{spec.subcore.instruction_cache.latency + 2} * kMostWarps),
      to_l1_(std::size_t{spec.schedulers} * std::max(1u, spec.subcore.instruction_cache.mshrs)),
      from_l1_(std::size_t{spec.schedulers} * std::max(1u, spec.subcore.instruction_cache.mshrs)),
      redirects_(2 * kMostWarps),
      requests_(std::max(1u, spec.instruction_cache.miss_queue)) {
  for (std::uint32_t i = 0; i < spec.schedulers; ++i)
    subcores_.push_back(std::make_unique<Subcore>(spec.subcore));
  for (std::uint32_t slot = 0; slot < kMostWarps; ++slot)
    subcore_of_[slot] = static_cast<std::uint8_t>(slot % spec.schedulers);
  awaited_.fill(kNothing);
}

void SubcoreFrontEnd::reset() {
  awaited_.fill(kNothing);
  for (const auto& subcore : subcores_) {
    subcore->cache.reset();
    subcore->stream.stop();
    subcore->guesses = {};
    subcore->last = kMostWarps;
  }
  l1_.reset();
  fetched_.clear();
  to_l1_.clear();
  from_l1_.clear();
  redirects_.clear();
  redirect_due_ = to_l1_due_ = from_l1_due_ = Cycle::never();
  requests_.clear();
  fetching_ = missing_ = redirected_ = 0;
  streaming_ = 0;
}

bool SubcoreFrontEnd::find_row(IssueWarp& warp) {
  if (warp.row_left != 0) return true;
  warp.row = warp.stream->peek(warp.number, warp.buffered);
  if (warp.row == nullptr) return false;
  warp.row_left = warp.stream->in_row(warp.number, warp.buffered);
  return true;
}

void SubcoreFrontEnd::refill(std::uint32_t slot, IssueWarp& warp, Cycle now) {
  if (!find_row(warp)) return;
  if (line_of(warp.row->pc) != warp.line && !enter_line(slot, warp, warp.row->pc, now)) return;
  warp.buffer[warp.buffered++] = warp.next_of_row();
}

void SubcoreFrontEnd::fill_buffer(std::uint32_t slot) {
  IssueWarp& warp = table_.warps[slot];
  warp.row_left = 0;
  while (warp.buffered < spec_.buffer_entries && find_row(warp) && line_of(warp.row->pc) == warp.line)
    warp.buffer[warp.buffered++] = warp.next_of_row();
}

WarpMask SubcoreFrontEnd::decode(Cycle now) {
  WarpMask decoded = 0;
  for (; has_fetched(now); fetched_.pop()) {
    const std::uint32_t slot = fetched_.front().warp;
    if (slot == kMostWarps) continue;
    fetching_ &= ~bit(slot);
    IssueWarp& warp = table_.warps[slot];
    const Instruction* const next = warp.stream->peek(warp.number, warp.buffered);
    if (next == nullptr) continue;
    warp.line = line_of(next->pc);
    fill_buffer(slot);
    decoded |= bit(slot);
  }
  return decoded;
}

bool SubcoreFrontEnd::enter_line(std::uint32_t slot, IssueWarp& warp, std::uint32_t pc, Cycle now) {
  if (((fetching_ | missing_) & bit(slot)) != 0 || !look_up(slot, pc, now)) return false;
  warp.line = line_of(pc);
  return true;
}

void SubcoreFrontEnd::forget(std::uint32_t slot) {
  awaited_[slot] = kNothing;
  table_.warps[slot].row_left = 0;
  table_.warps[slot].line = IssueWarp::kNoLine;
  const auto leave = [slot](Ring<Fetched>& ring) {
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (ring[i].warp == slot) ring[i].warp = kMostWarps;
  };
  leave(fetched_);
  leave(redirects_);
  fetching_ &= ~bit(slot);
  missing_ &= ~bit(slot);
  redirected_ &= ~bit(slot);
}

void SubcoreFrontEnd::drop(std::uint32_t slot) {
  forget(slot);
  Subcore& subcore = *subcores_[subcore_of(slot)];
  if (subcore.last == slot) subcore.last = kMostWarps;
}

void SubcoreFrontEnd::redirect(std::uint32_t slot, Cycle now) {
  forget(slot);
  if (spec_.branch_latency == 0) return;
  redirected_ |= bit(slot);
  redirects_.push({now + spec_.branch_latency, slot});
  redirect_due_ = redirects_.front().due;
}

void SubcoreFrontEnd::end_redirects(Cycle now) {
  for (; !redirects_.empty() && redirects_.front().due <= now; redirects_.pop())
    if (redirects_.front().warp != kMostWarps) redirected_ &= ~bit(redirects_.front().warp);
  redirect_due_ = redirects_.empty() ? Cycle::never() : redirects_.front().due;
}

void SubcoreFrontEnd::invalidate(ContextId context) {
  for (const auto& subcore : subcores_) subcore->cache.invalidate(context.value);
  l1_.invalidate(context.value);
}

std::uint32_t SubcoreFrontEnd::next_of(const Subcore& subcore, WarpMask wanting) const {
  if (subcore.last != kMostWarps && (wanting & bit(subcore.last)) != 0) return subcore.last;
  std::uint32_t youngest = lowest(wanting);
  for_each_slot(wanting, [&](std::uint32_t slot) {
    if (resident_.block_of(slot).number >= resident_.block_of(youngest).number) youngest = slot;
  });
  return youngest;
}

void SubcoreFrontEnd::start_fetches(WarpMask wanting, Cycle now) {
  for (std::size_t i = 0; i < subcores_.size(); ++i) {
    const WarpMask mine = wanting & warps_of_first_ << i;
    if (mine == 0) continue;
    const std::uint32_t slot = next_of(*subcores_[i], mine);
    const IssueWarp& warp = table_.warps[slot];
    if (look_up(slot, warp.stream->peek(warp.number, 0)->pc, now)) push_fetched(slot, now);
    subcores_[i]->last = slot;
  }
}

void SubcoreFrontEnd::push_fetched(std::uint32_t slot, Cycle now) {
  fetching_ |= bit(slot);
  fetched_.push({now + spec_.subcore.instruction_cache.latency, slot});
}

bool SubcoreFrontEnd::look_up(std::uint32_t slot, std::uint32_t pc, Cycle now) {
  const ResidentBlock& block = resident_.block_of(slot);
  const std::size_t number = subcore_of(slot);
  Subcore& subcore = *subcores_[number];
  ++counts_[block.account].fetches;
  bool hits = true;
  if (subcore.cache.exists()) {
    subcore.stream.fetched(block.account, line_of(pc));
    const Address key = key_of(block, pc);
    hits = subcore.cache.hit(key, Cache::kWholeLine,
                             subcore.guesses[(pc >> line_shift_) % subcore.guesses.size()]);
    if (!hits) {
      const Cache::Result result = subcore.cache.load(key, Cache::kWholeLine, slot);
      if (result.outcome <= Cache::Outcome::kMiss) {
        missing_ |= bit(slot);
        awaited_[slot] = key;
      }
      if (result.outcome == Cache::Outcome::kMiss) {
        ask_l1(block, pc, slot, waiter_of(number, result.mshr), now);
        subcore.stream.missed(table_.warps[slot].block, block.account, line_of(pc));
      }
    }
    update_streaming(number, subcore);
  }
  if (tracer_ != nullptr) tracer_->fetch(slot, pc, hits, now);
  return hits;
}

void SubcoreFrontEnd::update_streaming(std::size_t number, const Subcore& subcore) {
  const std::uint32_t me = 1u << number;
  streaming_ = subcore.stream.wants_line() ? streaming_ | me : streaming_ & ~me;
}

// A stream ends with the block whose warp missed, so that no line is requested for a launch that is over.
void SubcoreFrontEnd::prefetch(Cycle now) {
  for (std::size_t i = 0; i < subcores_.size(); ++i) {
    if ((streaming_ >> i & 1) == 0) continue;
    Subcore& subcore = *subcores_[i];
    StreamBuffer& stream = subcore.stream;
    const ResidentBlock& block = resident_.blocks[stream.block_slot()];
    if (block.stream == nullptr || block.account != stream.account() || block.running == 0) {
      stream.stop();
    } else {
      const Cache::Result result = subcore.cache.prefetch(key_of(block, stream.pc()), Cache::kWholeLine);
      if (result.outcome == Cache::Outcome::kNoMshr || result.outcome == Cache::Outcome::kNoLine) {
        streaming_ &= ~(1u << i);  // until a line comes
        continue;
      }
      if (result.outcome == Cache::Outcome::kMiss)
        ask_l1(block, stream.pc(), lowest(block.running), waiter_of(i, result.mshr), now);
      stream.pop();
    }
    update_streaming(i, subcore);
  }
}

void SubcoreFrontEnd::ask_l1(const ResidentBlock& block, std::uint32_t pc, std::uint32_t slot,
                             std::uint32_t waiter, Cycle now) {
  ToL1& ask = to_l1_.push();
  ask = {now + spec_.subcore.instruction_way, key_of(block, pc), {}, waiter};
  ask.request.address = code_address(block.tag, pc) & ~Address{line_bytes_ - 1};
  ask.request.bytes = line_bytes_;
  ask.request.kind = RequestKind::kInstruction;
  ask.request.context = block.context;
  ask.request.account = block.account;
  ask.request.warp = slot;
  to_l1_due_ = to_l1_.front().due;
}

// L1 takes one request a cycle.
void SubcoreFrontEnd::access_l1(Cycle now) {
  ToL1& ask = to_l1_.front();
  TagArray::Line guess{};
  if (!l1_.exists() || l1_.hit(ask.key, Cache::kWholeLine, guess)) {
    reply(ask.waiter, now);
  } else {
    if (requests_.full()) return;
    const Cache::Result result = l1_.load(ask.key, Cache::kWholeLine, ask.waiter);
    if (result.outcome > Cache::Outcome::kMiss) return;  // it is asked again
    if (result.outcome == Cache::Outcome::kMiss) {
      ++counts_[ask.request.account].fetch_misses;
      ask.request.number = RequestNumber{RequestNumber::Answers::kFetch, 0, result.mshr}.packed();
      if (tracer_ != nullptr) ask.request.trace = tracer_->request(ask.request, now);
      requests_.push(ask.request);
    }
  }
  to_l1_.pop();
  to_l1_due_ = to_l1_.empty() ? Cycle::never() : std::max(to_l1_.front().due, now + 1);
}

void SubcoreFrontEnd::reply(std::uint32_t waiter, Cycle now) {
  from_l1_.push({now + spec_.subcore.instruction_way, waiter});
  from_l1_due_ = from_l1_.front().due;
}

void SubcoreFrontEnd::answer(std::uint32_t mshr, Cycle now) {
  l1_.fill(mshr, Cache::kWholeLine, [this, now](Cache::Waiter waiter) { reply(waiter, now); });
}

void SubcoreFrontEnd::fill_l0(Cycle now) {
  for (; !from_l1_.empty() && from_l1_.front().due <= now; from_l1_.pop()) {
    const std::size_t i = from_l1_.front().waiter >> 16;
    Subcore& subcore = *subcores_[i];
    subcore.cache.fill(from_l1_.front().waiter & 0xffff, Cache::kWholeLine, [&](Cache::Waiter slot) {
      if ((missing_ & bit(slot)) == 0) return;
      const IssueWarp& warp = table_.warps[slot];
      const Instruction* const next = warp.stream->peek(warp.number, warp.buffered);
      if (next == nullptr || key_of(resident_.block_of(slot), next->pc) != awaited_[slot]) return;
      missing_ &= ~bit(slot);
      push_fetched(slot, now);
    });
    update_streaming(i, subcore);
  }
  from_l1_due_ = from_l1_.empty() ? Cycle::never() : from_l1_.front().due;
}

Cycle SubcoreFrontEnd::next_wake(Cycle now) const {
  if (wants() != 0 || streaming_ != 0) return now + 1;
  const Cycle decode = fetched_.empty() ? Cycle::never() : fetched_.front().due;
  // Where L1 waits for room among the requests, the SM wakes when it can send one.
  const Cycle to_l1 = requests_.full() ? Cycle::never() : to_l1_due_;
  return std::max(std::min({decode, redirect_due_, to_l1, from_l1_due_}), now + 1);
}

bool SubcoreFrontEnd::holds(AccountId account) const {
  for (std::size_t i = 0; i < to_l1_.size(); ++i)
    if (to_l1_[i].request.account == account) return true;
  return false;
}

bool SubcoreFrontEnd::idle() const {
  const auto is_idle = [](const auto& subcore) { return subcore->cache.idle(); };
  return l1_.idle() && fetched_.empty() && requests_.empty() && to_l1_.empty() && from_l1_.empty() &&
         std::all_of(subcores_.begin(), subcores_.end(), is_idle);
}

}  // namespace heddle
