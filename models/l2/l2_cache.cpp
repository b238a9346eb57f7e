#include "models/l2/l2_cache.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

constexpr std::uint32_t count_of(std::uint32_t sectors) {
  return static_cast<std::uint32_t>(__builtin_popcount(sectors));
}

TagArraySpec tag_spec(const L2Spec& spec) {
  return {spec.sets,
          spec.ways,
          L2Spec::kLineBytes,
          L2Spec::kSectorBytes,
          spec.hash ? SetHash::kAllGroups : SetHash::kNone,
          spec.replacement};
}

}  // namespace

const char* name_of(L2Cache::Stall stall) {
  static constexpr std::array<const char*, L2Cache::kStalls> kNames{
      "none", "all ways reserved", "MSHRs full", "MSHR merges full", "DRAM queue full", "reply queue full"};
  return kNames[static_cast<std::size_t>(stall)];
}

struct L2Cache::Plan {
  std::uint32_t set = 0;
  TagArray::Line line = TagArray::kNone;  // the line of the address, or the victim
  bool present = false;
  TagArray::Sectors touched = 0;
  TagArray::Sectors hits = 0;     // touched sectors that are served at once
  TagArray::Sectors pending = 0;  // touched sectors whose fill is in flight
  TagArray::Sectors fetch = 0;    // first sectors of the fills that must be requested
  TagArray::Sectors wait = 0;     // first sectors of all fills that the access waits for
};

L2Cache::L2Cache(const L2Spec& spec, Group& stats)
    : burst_sectors_(spec.burst_bytes / L2Spec::kSectorBytes),
      fill_bytes_(spec.fill_bytes),
      fill_sectors_((1u << (spec.fill_bytes / L2Spec::kSectorBytes)) - 1),
      tags_(tag_spec(spec)),
      shares_(spec, stats),
      mshrs_(spec.mshrs, spec.merges, std::size_t{tags_.lines()} * kSectors),
      written_(std::size_t{spec.sets} * spec.ways),
      is_swap_(written_.size()),
      halves_(spec, tags_, stats),
      copies_end_(spec.copies_end),
      stats_(spec, stats) {
  HEDDLE_CHECK((fill_bytes_ == L2Spec::kSectorBytes || fill_bytes_ == L2Spec::kMostBurstBytes) &&
                   fill_bytes_ <= spec.burst_bytes && spec.burst_bytes <= L2Spec::kMostBurstBytes,
               "L2", Cycle{}, "fills of {} bytes, bursts of {}", fill_bytes_, spec.burst_bytes);
}

void L2Cache::reset() {
  tags_.reset();
  mshrs_.reset();
  counts_.reset();
  for (auto& sectors : written_) sectors.fill(0);
  std::fill(is_swap_.begin(), is_swap_.end(), false);
  halves_.reset();
}

L2Cache::Stall L2Cache::access(const Access& access, std::uint32_t room, Outcome& outcome) {
  Plan needs;
  const Stall stall = plan(access, room, needs);
  if (stall != Stall::kNone) return stall;
  outcome.missed_line = misses_line(access, needs);
  outcome.sectors = count_of(needs.touched);
  outcome.fills = count_of(needs.wait);
  outcome.transfers = 0;
  outcome.crosses = false;
  outcome.line = needs.line;
  count(access, needs, outcome.missed_line);
  if (needs.touched == 0) return Stall::kNone;  // the write has no byte
  if (needs.present) {
    tags_.touch(needs.line);
  } else {
    evict(needs.line, outcome);
    counts_[access.account].write_backs += outcome.transfers;
    if (shares_.exist()) shares_.installed(tags_, needs.set, needs.line, access.context);
    install(needs.line, tags_.line_of(access.address));
    is_swap_[needs.line] = access.is_swap;
  }
  outcome.crosses = halves_.exist() && reach(access, needs);
  if (access.kind == Kind::kWrite)
    write(access, needs);
  else
    fetch(access, needs, outcome);
  if (access.kind == Kind::kAtomic) tags_.set_dirty(needs.line, needs.touched);
  return Stall::kNone;
}

L2Cache::Stall L2Cache::plan(const Access& access, std::uint32_t room, Plan& plan) const {
  const Address line = tags_.line_of(access.address);
  plan.touched = tags_.sectors_of(access.address, access.bytes);
  if (access.kind == Kind::kWrite)
    for (std::uint32_t s = 0; s < kSectors; ++s)
      if (access.written[s] == 0) plan.touched &= ~(1u << s);
  if (plan.touched == 0) return Stall::kNone;
  plan.set = tags_.set_of(access.index);
  plan.line = tags_.find(plan.set, line);
  plan.present = plan.line != TagArray::kNone;
  std::uint32_t transfers = 0;
  if (plan.present) {
    // A sector that was written completely while its fill is in flight is valid. A read of it still waits for
    // the fill, because it must not overtake the reads that already wait.
    const TagArray::Sectors valid = tags_.valid(plan.line);
    const TagArray::Sectors reserved = tags_.reserved(plan.line);
    const bool write = access.kind == Kind::kWrite;
    plan.hits = plan.touched & (write ? valid | tags_.dirty(plan.line) : valid & ~reserved);
    plan.pending = plan.touched & ~plan.hits & reserved;
  } else {
    plan.line = shares_.exist() ? shares_.victim(tags_, plan.set, access.context) : tags_.victim(plan.set);
    if (plan.line == TagArray::kNone) return Stall::kReserved;
    transfers = dirty_bursts(plan.line);
  }
  if (access.kind != Kind::kWrite) {
    for (std::uint32_t s = 0; s < kSectors; s += count_of(fill_sectors_)) {
      const TagArray::Sectors unit = fill_sectors_ << s;
      if ((unit & plan.touched & ~plan.hits) == 0) continue;
      plan.wait |= 1u << s;
      if (unit & plan.pending) {
        if (!mshrs_.can_wait(mshrs_.find(place_of(plan.line, s)))) return Stall::kMerge;
      } else {
        plan.fetch |= 1u << s;
      }
    }
    if (count_of(plan.fetch) > mshrs_.free_entries()) return Stall::kMshr;
    transfers += count_of(plan.fetch);
  }
  return transfers > room ? Stall::kDramQueue : Stall::kNone;
}

void L2Cache::count(const Access& access, const Plan& plan, bool missed_line) {
  const std::uint32_t accesses = count_of(plan.touched);
  const std::uint32_t hits = count_of(plan.hits);
  const std::uint32_t pending = count_of(plan.pending);
  const std::uint32_t misses = accesses - hits;
  ++stats_.requests;
  stats_.accesses += accesses;
  stats_.hits += hits;
  stats_.misses += misses;
  stats_.pending_hits += pending;
  (plan.present ? stats_.sector_misses : stats_.line_misses) += misses - pending;
  stats_.merges += count_of(plan.wait & ~plan.fetch);
  if (access.kind == Kind::kAtomic) ++stats_.atomics;
  if (access.is_swap) {
    ++stats_.swap_requests;
    stats_.swap_misses += misses;
  }
  stats_.lines_missed += missed_line ? 1 : 0;
  L2Counts& counts = counts_[access.account];
  ++counts.requests;
  counts.accesses += accesses;
  counts.hits += hits;
  counts.misses += misses;
  counts.lines_missed += missed_line ? 1 : 0;
  counts.atomics += access.kind == Kind::kAtomic ? 1 : 0;
}

bool L2Cache::misses_line(const Access& access, const Plan& plan) const {
  if (access.kind == Kind::kWrite) return plan.touched != 0 && !plan.present;
  return plan.fetch != 0 && !(plan.present && tags_.reserved(plan.line) != 0);
}

std::uint32_t L2Cache::dirty_bursts(TagArray::Line line) const {
  std::uint32_t bursts = 0;
  const TagArray::Sectors burst = (1u << burst_sectors_) - 1;
  for (TagArray::Sectors dirty = tags_.dirty(line); dirty != 0; dirty >>= burst_sectors_)
    bursts += (dirty & burst) != 0 ? 1 : 0;
  return bursts;
}

template <std::uint32_t kBurstSectors>
void L2Cache::evict_bursts(TagArray::Line line, Outcome& outcome) {
  const TagArray::Sectors dirty = tags_.dirty(line);
  const TagArray::Sectors valid = tags_.valid(line);
  for (std::uint32_t first = 0; first < kSectors; first += kBurstSectors) {
    const TagArray::Sectors burst = (dirty >> first) & ((1u << kBurstSectors) - 1);
    if (burst == 0) continue;
    const std::uint32_t from = first + static_cast<std::uint32_t>(__builtin_ctz(burst));
    const std::uint32_t sectors = count_of(burst);
    Transfer& transfer = outcome.transfer[outcome.transfers++];
    transfer = {true,
                tags_.address(line) + from * L2Spec::kSectorBytes,
                sectors * L2Spec::kSectorBytes,
                0,
                MshrFile::kNone,
                is_swap_[line],
                0};
    bool partial = false;
    for (std::uint32_t s = 0; s < sectors; ++s) {
      const bool whole = (valid >> (from + s) & 1) != 0;
      const std::uint64_t written = whole ? kWholeSector : written_[line][from + s];
      transfer.written |= written << (s * L2Spec::kSectorBytes);
      partial = partial || !whole;
    }
    ++stats_.write_backs;
    stats_.swap_write_backs += is_swap_[line] ? 1 : 0;
    stats_.write_back_bytes += transfer.bytes;
    if (partial) ++stats_.partial_write_backs;
  }
  written_[line].fill(0);
}

void L2Cache::fetch(const Access& access, const Plan& plan, Outcome& outcome) {
  const Address line = tags_.line_of(access.address);
  for (TagArray::Sectors rest = plan.wait; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const Address address = line + s * L2Spec::kSectorBytes;
    MshrFile::Entry entry = mshrs_.find(place_of(plan.line, s));
    if (plan.fetch >> s & 1) {
      entry = mshrs_.allocate(place_of(plan.line, s));
      const TagArray::Sectors unit = fill_sectors_ << s;
      tags_.reserve(plan.line, unit & ~tags_.valid(plan.line));
      const TagArray::Sectors before = plan.touched & ((1u << s) - 1);
      outcome.transfer[outcome.transfers++] = {false, address,        fill_bytes_,     0,
                                               entry, access.is_swap, count_of(before)};
      stats_.swap_fills += access.is_swap ? 1 : 0;
    }
    mshrs_.wait(entry, access.request);
  }
}

void L2Cache::write(const Access& access, const Plan& plan) {
  TagArray::Sectors whole = 0;
  const TagArray::Sectors valid = tags_.valid(plan.line);
  for (TagArray::Sectors rest = plan.touched; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::uint32_t>(__builtin_ctz(rest));
    std::uint32_t& written = written_[plan.line][s];
    if (valid >> s & 1) continue;
    written |= access.written[s];
    if (written == kWholeSector) whole |= 1u << s;
  }
  tags_.set_dirty(plan.line, plan.touched);
  tags_.set_valid(plan.line, whole);
}

void L2Cache::place(Address line, Address index) {
  constexpr TagArray::Sectors kAll = (1u << kSectors) - 1;
  const std::uint32_t set = tags_.set_of(index);
  TagArray::Line at = tags_.find(set, line);
  if (at == TagArray::kNone) {
    at = tags_.victim(set);
    if (at == TagArray::kNone) return;
    stats_.copy_evictions += tags_.present(at) && tags_.dirty(at) != 0 ? 1 : 0;
    install(at, line);
  } else {
    tags_.touch(at);
    if (halves_.exist()) halves_.drop(at, kAll);
  }
  written_[at].fill(0);
  is_swap_[at] = false;
  tags_.set_valid(at, kAll);
  ++stats_.copied_lines;
}

void L2Cache::install(TagArray::Line line, Address address) {
  if (halves_.exist()) halves_.drop(line, ~TagArray::Sectors{0});
  tags_.install(line, address);
  if (halves_.exist()) halves_.make_room(line);
}

bool L2Cache::reach(const Access& access, const Plan& plan) {
  const bool is_read = access.kind == Kind::kRead;
  if (!is_read) halves_.drop(plan.line, plan.touched);
  if (!access.is_far) return false;
  if (is_read) return halves_.read(plan.line, plan.touched);
  halves_.change(plan.touched);
  return true;
}

void L2Cache::filled(MshrFile::Entry entry) {
  const TagArray::Line line = mshrs_.place(entry) / kSectors;
  const std::uint32_t first = mshrs_.place(entry) % kSectors;
  tags_.fill(line, (fill_sectors_ << first) & tags_.reserved(line));
  ++stats_.fills;
  stats_.fill_bytes_moved += fill_bytes_;
}

}  // namespace heddle
