#include "models/sm/collector/load_store_unit.h"

#include <algorithm>

#include "models/core/kernel/address_spaces.h"

namespace heddle {

namespace {

// Two runs of sectors, two of an evicted line, and two of an atomic in swap space, which is a store, too.
constexpr std::size_t kRequestsOfAnAccess = 6;

Instruction access_of(MemorySpace space, Operation operation) {
  Instruction code;
  code.operation = operation;
  code.space = space;
  code.bytes = 4;
  return code;
}
const Instruction kLoadOfSwap = access_of(MemorySpace::kSwap, Operation::kLoad);
const Instruction kStoreOfSwap = access_of(MemorySpace::kSwap, Operation::kStore);
const Instruction kLoadOfSaved = access_of(MemorySpace::kSaved, Operation::kLoad);
const Instruction kStoreOfSaved = access_of(MemorySpace::kSaved, Operation::kStore);

Address in_program(Address address) {
  return address & (kProgramAddresses - 1);
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const CycleSmSpec& spec, const LocalLayout& local, Address swap,
                             AccountTable<KernelCounts>& counts)
    : local_(local),
      swap_(swap),
      memory_latency_(spec.memory_latency),
      shared_latency_(spec.shared_latency + spec.result_latency),
      shared_banks_(spec.shared_banks),
      l1_caches_global_(spec.l1_caches_global),
      merges_atomics_(spec.merges_atomics),
      free_(spec.load_entries),
      requests_(spec.l1.miss_queue + kRequestsOfAnAccess),
      l1_(spec.l1, Answers::kLine, RequestKind::kLoad, spec.l1.latency + spec.l1_hit_return, spec.l1.latency,
          spec.load_entries),
      constants_(spec.constant_cache, Answers::kConstant, RequestKind::kConstant, spec.constant_cache.latency,
                 0, spec.load_entries),
      textures_(spec.texture_cache, Answers::kTexture, RequestKind::kLoad, spec.texture_cache.latency, 0,
                spec.load_entries),
      entries_(spec.load_entries),
      queue_(spec.memory_latency + 1),
      shared_(spec.load_entries),
      loaded_(spec.load_entries),
      stored_(spec.load_entries),
      leaving_(spec.l1.latency + kRequestsOfAnAccess),
      request_limit_(spec.l1.miss_queue),
      counts_(counts) {
  stores_sent_.reserve(2 * kRequestsOfAnAccess);
  reset();
}

void LoadStoreUnit::reset() {
  held_ = 0;
  for (std::uint32_t i = 0; i < free_.used(); ++i) entries_[i].code = nullptr;
  free_.reset();
  requests_.clear();
  for (ReadPath* path : {&l1_, &constants_, &textures_}) path->reset();
  for (Ring<Due>* ring : {&queue_, &shared_}) ring->clear();
  busy_cycles_ = 0;
  left_ = Cycle{0};
  data_due_ = Cycle::never();
  loaded_.clear();
  stored_.clear();
  leaving_.clear();
  stalled_ = false;
  stores_sent_.clear();
}

bool LoadStoreUnit::idle() const {
  return quiet() && l1_.cache.idle() && constants_.cache.idle() && textures_.cache.idle();
}

bool LoadStoreUnit::holds(AccountId account) const {
  return std::any_of(entries_.data(), entries_.data() + free_.used(), [account](const Entry& entry) {
    return entry.code != nullptr && entry.owner.account == account;
  });
}

void LoadStoreUnit::invalidate(ContextId context) {
  l1_.cache.invalidate(context.value);
  textures_.cache.invalidate(context.value);
}

LoadStoreUnit::Entry& LoadStoreUnit::take_entry(const Instruction* code, const MemoryOwner& owner,
                                                Cycle now) {
  ++held_;
  Entry& entry = entries_[free_.take()];
  entry.owner = owner;
  entry.code = code;
  entry.next = 0;
  entry.pending = 1;  // one for the accesses that are still to be made
  entry.passes = 0;
  entry.swapped = false;
  entry.issued = now;
  entry.lines.count = 0;
  return entry;
}

std::uint32_t LoadStoreUnit::prepare(const IssuedInstruction& issued, const MemoryOwner& owner, Cycle now,
                                     std::uint32_t swapped) {
  Entry& entry = take_entry(issued.code, owner, now);
  const std::uint32_t index = number_of(entry);
  if (issued.mask == 0) return index;
  const MemorySpace space = issued.code->space;
  const bool is_store = issued.code->operation == Operation::kStore;
  const bool atomic = issued.code->operation == Operation::kAtomic;
  if (space == MemorySpace::kShared && swapped == 0) {
    entry.passes = shared_passes(issued, shared_banks_, atomic);
    return index;
  }
  Addresses placed;
  if (space == MemorySpace::kShared) {
    IssuedInstruction on_chip = issued;
    on_chip.mask &= ~swapped;
    if (on_chip.mask != 0) entry.passes = shared_passes(on_chip, shared_banks_, atomic);
    entry.swapped = true;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) placed[lane] = swap_ + issued.addresses[lane];
    coalesce(placed, swapped, issued.code->bytes, is_store, entry.lines);
    return index;
  }
  if (space == MemorySpace::kLocal) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) placed[lane] = in_program(issued.addresses[lane]);
    coalesce_local(placed, issued.mask, issued.code->bytes, is_store, local_, owner.warp, entry.lines);
    return index;
  }
  if (atomic) {
    prepare_atomic(issued, entry);
    return index;
  }
  const Address base = space == MemorySpace::kConstant ? kConstantAddresses : 0;
  const Address begin = in_program(issued.addresses[0]);
  if (begin + Address{kLanes} * issued.code->bytes <= kProgramAddresses &&
      is_run(issued.addresses, issued.mask, issued.code->bytes)) {
    coalesce_run(begin + base, issued.code->bytes, is_store, entry.lines);
    return index;
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    placed[lane] = in_program(issued.addresses[lane]) + base;
  coalesce(placed, issued.mask, issued.code->bytes, is_store, entry.lines);
  return index;
}

// All lanes of an atomic that is merged are one operation, which the lowest lane makes.
void LoadStoreUnit::prepare_atomic(const IssuedInstruction& issued, Entry& entry) const {
  Addresses placed;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) placed[lane] = in_program(issued.addresses[lane]);
  const std::uint32_t lanes =
      merges_atomics_ && issued.code->mergeable ? issued.mask & ~(issued.mask - 1) : issued.mask;
  coalesce(placed, lanes, issued.code->bytes, false, entry.lines);
  count_depths(placed, lanes, entry.lines);
}

std::uint32_t LoadStoreUnit::prepare_swap(bool load, std::uint64_t address, std::uint32_t lines,
                                          const MemoryOwner& owner, Cycle now) {
  return prepare_lines(load ? kLoadOfSwap : kStoreOfSwap, swap_ + address, lines, owner, now);
}

std::uint32_t LoadStoreUnit::prepare_saved(bool load, Address address, std::uint32_t lines,
                                           const MemoryOwner& owner, Cycle now) {
  return prepare_lines(load ? kLoadOfSaved : kStoreOfSaved, address, lines, owner, now);
}

std::uint32_t LoadStoreUnit::prepare_lines(const Instruction& code, Address address, std::uint32_t lines,
                                           const MemoryOwner& owner, Cycle now) {
  Entry& entry = take_entry(&code, owner, now);
  entry.swapped = true;
  entry.lines.count = lines;
  for (std::uint32_t i = 0; i < lines; ++i) {
    LineAccess& line = entry.lines.access[i] = LineAccess{};
    line.line = address + std::uint64_t{i} * kLineBytes;
    line.sectors = (1u << kLineBytes / kSectorBytes) - 1;
    line.written = {~std::uint64_t{0}, ~std::uint64_t{0}};
  }
  return number_of(entry);
}

void LoadStoreUnit::step(Cycle now) {
  if (!leaving_.empty() && leaving_.front().due <= now) leave_l1(now);
  if (stalled_ || queue_.empty() || queue_.front().cycle > now) return;
  const std::uint32_t index = queue_.front().entry;
  Entry& entry = entries_[index];
  const bool last = entry.passes > 0 ? access_shared(entry, index, now) : access_line(entry, index, now);
  if (!last) return;
  busy_cycles_ += now + 1 - std::max(queue_.front().cycle, left_);
  left_ = now + 1;
  queue_.pop();
  if (entry.code->operation == Operation::kStore)
    stored_.push(index);
  else
    arrived(index);
}

std::uint64_t LoadStoreUnit::busy_cycles(Cycle now) const {
  const std::uint64_t before = busy_cycles_ - (left_ > now ? 1 : 0);  // one may have left in this cycle
  if (queue_.empty()) return before;
  const Cycle since = std::max(queue_.front().cycle, left_);
  return before + (std::max(since, now) - since);
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
    stalled_ = true;
    return false;
  }
  if (entry.code->operation == Operation::kStore) {
    store(entry, line, now);
  } else if (!load(entry, index, line, now)) {
    stalled_ = true;
    return false;
  } else if (entry.swapped && entry.code->operation == Operation::kAtomic) {
    store(entry, line, now);
  }
  return ++entry.next == entry.lines.count;
}

void LoadStoreUnit::leave_l1(Cycle now) {
  for (; !leaving_.empty() && leaving_.front().due <= now && requests_.size() < request_limit_;
       leaving_.pop()) {
    requests_.push(leaving_.front().request);
    stalled_ = false;
  }
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
  return goes_through_l1(entry) ? leaving_.size() < l1_.miss_latency : requests_.size() < request_limit_;
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
      await_data(path.hits, now + path.hit_latency, index);
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
  count(path.answers, result.outcome, entry.swapped, counts_of(entry));
  return true;
}

void LoadStoreUnit::count(Answers answers, Cache::Outcome outcome, bool swapped, KernelCounts& counts) {
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

// A global store writes through, and its sectors are dropped from L1; so does a store of a saved block. A
// store to local memory, or of a set to swap space, stays in L1 if the line is present.
void LoadStoreUnit::store(Entry& entry, const LineAccess& line, Cycle now) {
  const Address key = Cache::key(entry.owner.context.value, line.line);
  if (entry.swapped) ++counts_of(entry).swap_stores;
  const bool is_saved = entry.code->space == MemorySpace::kSaved;
  const bool writes_back = (entry.swapped && !is_saved) || entry.code->space == MemorySpace::kLocal;
  tell_access(entry, line, "store", now);
  if (writes_back && l1_.cache.store_back(key, line.sectors)) return;
  l1_.cache.store_through(key, line.sectors);
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
  std::uint32_t sent = 0;
  std::uint32_t left = sectors;
  for (; left != 0; ++sent) {
    const auto first = static_cast<std::uint32_t>(__builtin_ctz(left));
    const auto length = static_cast<std::uint32_t>(__builtin_ctz(~(left >> first)));
    const std::uint32_t run = ((1u << length) - 1) << first;
    left &= ~run;
    MemoryRequest request = whole;
    request.address += Address{first} * kSectorBytes;
    request.bytes = length * kSectorBytes;
    for (std::uint32_t sector = first; atomic != nullptr && sector < first + length; ++sector) {
      request.lanes = static_cast<std::uint8_t>(request.lanes + atomic->lanes[sector]);
      request.depth = static_cast<std::uint8_t>(request.depth + atomic->depth[sector]);
    }
    number.sectors = static_cast<Cache::Sectors>(run);
    request.number = number.packed();
    if (tracer_ != nullptr) request.trace = tracer_->request(request, now);
    ++held_;
    if (latency > 0)
      leaving_.push({now + latency, request});
    else
      requests_.push(request);
  }
  KernelCounts& counts = counts_[whole.account];
  (is_write(whole.kind) ? counts.stores : counts.loads) += sent;
  if (is_swap(whole.kind)) counts.swap_requests += sent;
  return sent;
}

void LoadStoreUnit::await_data(Ring<Due>& source, Cycle due, std::uint32_t index) {
  source.push({due, index});
  data_due_ = std::min(data_due_, due);
}

void LoadStoreUnit::arrived(std::uint32_t index) {
  if (--entries_[index].pending == 0) loaded_.push(index);
}

std::optional<std::uint32_t> LoadStoreUnit::answer(const RequestNumber& number) {
  stalled_ = false;
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
    case Answers::kFetch:
    case Answers::kNobody:
      break;
  }
  return std::nullopt;
}

bool LoadStoreUnit::take_loaded(Cycle now, Retired& retired) {
  if (data_due_ <= now) {
    data_due_ = Cycle::never();
    for (Ring<Due>* source : {&shared_, &l1_.hits, &constants_.hits, &textures_.hits}) {
      for (; !source->empty() && source->front().cycle <= now; source->pop()) arrived(source->front().entry);
      if (!source->empty()) data_due_ = std::min(data_due_, source->front().cycle);
    }
  }
  if (loaded_.empty()) return false;
  const std::uint32_t index = loaded_.front();
  loaded_.pop();
  const Entry& entry = entries_[index];
  if (entry.lines.count > 0 && !entry.swapped) {
    KernelCounts& counts = counts_of(entry);
    ++counts.load_instructions;
    counts.load_latency += now - entry.issued;
  }
  retired = {entry.owner.warp, entry.code, entry.owner.copy_group};
  free_entry(index);
  return true;
}

bool LoadStoreUnit::take_stored(Retired& retired) {
  if (stored_.empty()) return false;
  const std::uint32_t index = stored_.front();
  stored_.pop();
  retired = {entries_[index].owner.warp, entries_[index].code, 0};
  free_entry(index);
  return true;
}

Cycle LoadStoreUnit::next_wake(Cycle now) const {
  if (!loaded_.empty() || !stored_.empty()) return now + 1;
  Cycle next = Cycle::never();
  if (!stalled_ && !queue_.empty()) next = std::max(queue_.front().cycle, now + 1);
  if (!leaving_.empty() && requests_.size() < request_limit_)
    next = std::min(next, std::max(leaving_.front().due, now + 1));
  return std::min(next, data_due_);
}

}  // namespace heddle
