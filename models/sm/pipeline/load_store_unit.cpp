#include "models/sm/pipeline/load_store_unit.h"

#include <algorithm>

#include "models/core/kernel/address_spaces.h"

namespace heddle {

namespace {

using Answers = RequestNumber::Answers;

// Counts an access of a cache that was not refused. `answers` says which cache it was.
void count_access(Answers answers, Cache::Outcome outcome, bool swapped, KernelCounts& counts) {
  const std::uint64_t missed = outcome == Cache::Outcome::kMiss ? 1 : 0;
  if (swapped) {
    ++counts.swap_loads;
    counts.swap_load_hits += 1 - missed;
    return;
  }
  if (answers == Answers::kConstant) {
    ++counts.constant_accesses;
    counts.constant_misses += missed;
    return;
  }
  if (answers == Answers::kTexture) {
    ++counts.texture_accesses;
    counts.texture_misses += missed;
    return;
  }
  ++counts.l1_accesses;
  counts.l1_hits += outcome == Cache::Outcome::kHit ? 1 : 0;
  counts.l1_merges += outcome == Cache::Outcome::kMerged ? 1 : 0;
  counts.l1_misses += missed;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const CycleSmSpec& spec, const LocalLayout& local, Address swap,
                             AccountTable<KernelCounts>& counts)
    : shared_latency_(spec.shared_latency + spec.result_latency),
      l1_caches_global_(spec.l1_caches_global),
      l1_is_updated_(spec.l1_is_updated),
      l1_lines_(spec.l1_lines),
      constants_are_dropped_(spec.constants_are_dropped),
      addresses_(spec, local, swap),
      to_crossbar_(spec.l1.miss_queue, spec.l1.latency),
      l1_(spec.l1, Answers::kLine, RequestKind::kLoad, spec.l1.latency + spec.l1_hit_return, spec.l1.latency,
          spec.load_entries, spec.l1_lines, spec.l1_line_latency),
      constants_(spec.constant_cache, Answers::kConstant, RequestKind::kConstant, spec.constant_cache.latency,
                 0, spec.load_entries),
      textures_(spec.texture_cache, Answers::kTexture, RequestKind::kLoad, spec.texture_cache.latency, 0,
                spec.load_entries),
      queue_(spec.memory_latency),
      shared_(spec.load_entries),
      loaded_(spec.load_entries),
      stored_(spec.load_entries),
      counts_(counts) {
  stores_sent_.reserve(2 * CrossbarQueue::kMostOfAnAccess);
  reset();
}

void LoadStoreUnit::reset() {
  held_ = 0;
  addresses_.reset();
  to_crossbar_.reset();
  for (ReadPath* path : {&l1_, &constants_, &textures_}) path->reset();
  queue_.reset();
  shared_.clear();
  data_due_ = Cycle::never();
  loaded_.clear();
  stored_.clear();
  stall_ = Stall::kNone;
  stores_sent_.clear();
}

bool LoadStoreUnit::idle() const {
  return quiet() && addresses_.idle() && l1_.cache.idle() && constants_.cache.idle() &&
         textures_.cache.idle();
}

void LoadStoreUnit::invalidate(ContextId context) {
  l1_.cache.invalidate(context.value);
  textures_.cache.invalidate(context.value);
  if (constants_are_dropped_) constants_.cache.invalidate(context.value);
}

void LoadStoreUnit::step(Cycle now) {
  if (to_crossbar_.leave_l1(now)) end_stall(Stall::kQueue);
  if (stall_ != Stall::kNone || queue_.due() > now) return;
  const std::uint32_t index = queue_.front();
  Entry& entry = addresses_[index];
  const bool last = entry.passes > 0 ? access_shared(entry, index, now) : access_lines(entry, index, now);
  if (!last) {
    if (stall_ == Stall::kNone) ++entry.turns;
    return;
  }
  queue_.pop(now);
  if (entry.code->operation == Operation::kStore)
    stored_.push(index);
  else
    arrived(index);
}

bool LoadStoreUnit::access_shared(Entry& entry, std::uint32_t index, Cycle now) {
  KernelCounts& counts = counts_of(entry);
  ++counts.shared_passes;
  if (tracer_ != nullptr) tracer_->access(entry.owner.warp, *entry.code, 0, 0, "shared memory", now);
  if (--entry.passes > 0) {
    ++counts.shared_conflicts;
    return false;
  }
  if (entry.code->operation != Operation::kStore) {
    ++entry.pending;
    await_data(shared_, now + shared_latency_, index);
  }
  return entry.lines.count == 0;
}

bool LoadStoreUnit::access_line(Entry& entry, std::uint32_t index, Cycle now) {
  if (entry.lines.count == 0) return true;
  const LineAccess& line = entry.lines.access[entry.next];
  if (!has_room_for(entry)) {
    stall_ = Stall::kQueue;
    return false;
  }
  if (entry.code->operation == Operation::kStore) {
    store(entry, line, now);
  } else if (!load(entry, index, line, now)) {
    stall_ = Stall::kCache;
    return false;
  } else if (entry.swapped && entry.code->operation == Operation::kAtomic) {
    store(entry, line, now);
  }
  return ++entry.next == entry.lines.count;
}

bool LoadStoreUnit::access_lines(Entry& entry, std::uint32_t index, Cycle now) {
  const std::uint32_t first = entry.next;
  bool last = access_line(entry, index, now);
  if (l1_lines_ == 1 || last || entry.next == first) return last;
  if (entry.code->operation != Operation::kLoad) return last;
  const std::uint32_t end = first + (goes_through_l1(entry) ? lines_at_once(entry.lines, first, l1_lines_)
                                                            : lines_past_l1(entry.lines, first, l1_lines_));
  while (!last && stall_ == Stall::kNone && entry.next < end) last = access_line(entry, index, now);
  return last;
}

LoadStoreUnit::ReadPath* LoadStoreUnit::path_of(const Entry& entry) {
  const Instruction& code = *entry.code;
  if (entry.swapped) return l1_.cache.exists() && code.space != MemorySpace::kSaved ? &l1_ : nullptr;
  if (code.operation == Operation::kAtomic) return nullptr;
  if (code.space == MemorySpace::kConstant && constants_.cache.exists()) return &constants_;
  if (code.space == MemorySpace::kTexture && textures_.cache.exists()) return &textures_;
  const bool in_l1 = code.space == MemorySpace::kLocal || (l1_caches_global_ && !code.bypass_l1);
  return in_l1 && l1_.cache.exists() ? &l1_ : nullptr;
}

// L1's pipeline holds as many requests as its latency, because the port to the crossbar sends one a cycle.
bool LoadStoreUnit::has_room_for(const Entry& entry) {
  return goes_through_l1(entry) ? to_crossbar_.in_l1() < l1_.miss_latency : to_crossbar_.has_room();
}

bool LoadStoreUnit::load(Entry& entry, std::uint32_t index, const LineAccess& line, Cycle now) {
  if (ReadPath* const path = path_of(entry)) return load_through(*path, entry, index, line, now);
  tell_access(entry, line, "passes L1 by", now);
  const bool atomic = entry.code->operation == Operation::kAtomic && !entry.swapped;
  const RequestKind kind = atomic ? RequestKind::kAtomic : RequestKind::kLoad;
  const std::uint32_t sent = send(request_of(entry, kind, line.line), {Answers::kDirect, 0, index},
                                  line.sectors, 0, now, atomic ? &line : nullptr);
  entry.pending += sent;
  if (atomic) counts_of(entry).atomics += sent;
  if (entry.swapped) ++counts_of(entry).swap_loads;
  return true;
}

bool LoadStoreUnit::load_through(ReadPath& path, Entry& entry, std::uint32_t index, const LineAccess& line,
                                 Cycle now) {
  const Cache::Result result =
      path.cache.load(Cache::key(entry.owner.context.value, line.line), line.sectors, index);
  tell_access(entry, line, name_of(result.outcome), now);
  switch (result.outcome) {
    case Cache::Outcome::kNoLine:
    case Cache::Outcome::kNoMshr:
    case Cache::Outcome::kNoMerge:
      return false;
    case Cache::Outcome::kHit:
      await_hit(path, now + std::uint64_t{entry.turns} * path.line_latency, index);
      break;
    case Cache::Outcome::kMerged:
      break;
    case Cache::Outcome::kMiss:
      send(request_of(entry, path.kind, line.line), {path.answers, 0, result.mshr}, result.request,
           path.miss_latency, now);
      break;
  }
  if (result.write_back) {
    MemoryRequest victim = request_of(entry, RequestKind::kWriteBack, Cache::line_of(result.victim));
    victim.context = ContextId{static_cast<std::uint32_t>(Cache::space_of(result.victim))};
    victim.kind = victim.address >= kSwapAddresses ? RequestKind::kSwapStore : RequestKind::kWriteBack;
    send(victim, {Answers::kNobody, 0, 0}, result.dirty, path.miss_latency, now);
  }
  ++entry.pending;
  count_access(path.answers, result.outcome, entry.swapped, counts_of(entry));
  return true;
}

// A global store writes through, and its sectors in L1 are dropped or updated; so does a store of a saved
// block. A store to local memory, or of a set to swap space, stays in L1 if the line is present.
void LoadStoreUnit::store(Entry& entry, const LineAccess& line, Cycle now) {
  const Address key = Cache::key(entry.owner.context.value, line.line);
  if (entry.swapped) ++counts_of(entry).swap_stores;
  const bool is_saved = entry.code->space == MemorySpace::kSaved;
  const bool writes_back = (entry.swapped && !is_saved) || entry.code->space == MemorySpace::kLocal;
  tell_access(entry, line, "store", now);
  if (writes_back && l1_.cache.store_back(key, line.sectors)) return;
  l1_.cache.store_through(key, line.sectors, l1_is_updated_);
  const bool is_awaited = !entry.swapped || is_saved;  // by its warp
  MemoryRequest request = request_of(entry, RequestKind::kStore, line.line);
  request.partial = line.partial;
  request.written = line.written;
  const std::uint32_t sent =
      send(request, {is_awaited ? Answers::kStore : Answers::kNobody, 0, entry.owner.warp}, line.sectors,
           goes_through_l1(entry) ? l1_.miss_latency : 0, now);
  if (!is_awaited) return;
  for (std::uint32_t i = 0; i < sent; ++i) stores_sent_.push_back(entry.owner.warp);
}

MemoryRequest LoadStoreUnit::request_of(const Entry& entry, RequestKind kind, Address line) {
  MemoryRequest request;
  request.address = line;
  request.kind = !entry.swapped ? kind : is_write(kind) ? RequestKind::kSwapStore : RequestKind::kSwapLoad;
  request.context = entry.owner.context;
  request.account = entry.owner.account;
  request.warp = entry.owner.warp;
  return request;
}

std::uint32_t LoadStoreUnit::send(const MemoryRequest& whole, RequestNumber number, Cache::Sectors sectors,
                                  std::uint32_t latency, Cycle now, const LineAccess* atomic) {
  const std::uint32_t sent = to_crossbar_.add(whole, number, sectors, latency, now, atomic);
  held_ += sent;
  KernelCounts& counts = counts_[whole.account];
  (is_write(whole.kind) ? counts.stores : counts.loads) += sent;
  if (is_swap(whole.kind)) counts.swap_requests += sent;
  return sent;
}

void LoadStoreUnit::await_hit(ReadPath& path, Cycle accessed, std::uint32_t index) {
  const Cycle due = accessed + path.hit_latency;
  await_data(path.hits, path.hits.empty() ? due : std::max(due, path.hits.back().cycle), index);
}

void LoadStoreUnit::await_data(Ring<Due>& source, Cycle due, std::uint32_t index) {
  source.push({due, index});
  data_due_ = std::min(data_due_, due);
}

void LoadStoreUnit::arrived(std::uint32_t index) {
  if (--addresses_[index].pending == 0) loaded_.push(index);
}

std::optional<std::uint32_t> LoadStoreUnit::answer(const RequestNumber& number) {
  end_stall(Stall::kCache);
  const auto done = [this](Cache::Waiter waiter) { arrived(waiter); };
  switch (number.answers) {
    case Answers::kLine:
      l1_.cache.fill(number.index, number.sectors, done);
      break;
    case Answers::kConstant:
      constants_.cache.fill(number.index, number.sectors, done);
      break;
    case Answers::kTexture:
      textures_.cache.fill(number.index, number.sectors, done);
      break;
    case Answers::kDirect:
      arrived(number.index);
      break;
    case Answers::kStore:
      return number.index;
    case Answers::kBulkCopy:
    case Answers::kFetch:
    case Answers::kNobody:
      break;
  }
  return std::nullopt;
}

const AddressUnit::Entry* LoadStoreUnit::loaded(Cycle now) {
  if (data_due_ <= now) {
    data_due_ = Cycle::never();
    for (Ring<Due>* source : {&shared_, &l1_.hits, &constants_.hits, &textures_.hits}) {
      for (; !source->empty() && source->front().cycle <= now; source->pop()) arrived(source->front().entry);
      if (!source->empty()) data_due_ = std::min(data_due_, source->front().cycle);
    }
  }
  return loaded_.empty() ? nullptr : &addresses_[loaded_.front()];
}

LoadStoreUnit::Retired LoadStoreUnit::take_loaded(Cycle now) {
  const std::uint32_t index = loaded_.front();
  loaded_.pop();
  const Entry& entry = addresses_[index];
  if (entry.lines.count > 0 && !entry.swapped) {
    KernelCounts& counts = counts_of(entry);
    ++counts.load_instructions;
    counts.load_latency += now - entry.issued;
  }
  const Retired retired{entry.owner.warp, entry.code, entry.owner.copy_group};
  leave(index);
  return retired;
}

bool LoadStoreUnit::take_stored(Retired& retired) {
  if (stored_.empty()) return false;
  const std::uint32_t index = stored_.front();
  stored_.pop();
  retired = {addresses_[index].owner.warp, addresses_[index].code, 0};
  leave(index);
  return true;
}

Cycle LoadStoreUnit::next_wake(Cycle now) const {
  if (!loaded_.empty() || !stored_.empty()) return now + 1;
  const Cycle access = stall_ == Stall::kNone ? std::max(queue_.due(), now + 1) : Cycle::never();
  return std::min({access, data_due_, to_crossbar_.due(now)});
}

}  // namespace heddle
