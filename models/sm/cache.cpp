#include "models/sm/cache.h"

#include <algorithm>

#include "models/sm/coalescer.h"

namespace heddle {

Cache::Cache(const CacheSpec& spec)
    : sets_(spec.sets),
      set_bits_(spec.sets == 0 ? 0 : static_cast<std::uint32_t>(__builtin_ctz(spec.sets))),
      ways_(spec.ways),
      line_shift_(static_cast<std::uint32_t>(__builtin_ctz(spec.line_bytes))),
      sector_bytes_(spec.sector_bytes),
      merges_(spec.merges),
      hashed_(spec.hashed),
      lines_(static_cast<std::size_t>(spec.sets) * spec.ways),
      mshrs_(spec.mshrs),
      waiters_(static_cast<std::size_t>(spec.mshrs) * spec.merges) {
  reset();
}

void Cache::reset() {
  std::fill(lines_.begin(), lines_.end(), Line{});
  std::fill(mshrs_.begin(), mshrs_.end(), Mshr{});
  free_.clear();
  for (auto i = static_cast<std::uint32_t>(mshrs_.size()); i > 0; --i) free_.push_back(i - 1);
  uses_ = 0;
}

std::uint32_t Cache::set_of(Address key) const {
  const Address line = key >> line_shift_;
  if ((sets_ & (sets_ - 1)) == 0) {  // nearly always; the same without dividing
    const Address folded = hashed_ ? line ^ line >> set_bits_ ^ line >> set_bits_ >> set_bits_ : line;
    return static_cast<std::uint32_t>(folded & (sets_ - 1));
  }
  const Address folded = hashed_ ? line ^ line / sets_ ^ line / sets_ / sets_ : line;
  return static_cast<std::uint32_t>(folded % sets_);
}

Cache::Line* Cache::find(Address key) {
  Line* line = &lines_[static_cast<std::size_t>(set_of(key)) * ways_];
  for (std::uint32_t way = 0; way < ways_; ++way, ++line)
    if (line->key == key) return line;
  return nullptr;
}

// The least recently used of those not on their way; never-used ones first.
Cache::Line* Cache::victim(std::uint32_t set) {
  Line* best = nullptr;
  Line* line = &lines_[static_cast<std::size_t>(set) * ways_];
  for (std::uint32_t way = 0; way < ways_; ++way, ++line)
    if (line->mshr == kNone && (best == nullptr || line->used < best->used)) best = line;
  return best;
}

Cache::Sectors Cache::whole_sectors(Sectors touched) const {
  if (sector_bytes_ == kSectorBytes) return touched;
  return sector_bytes_ == kLineBytes
             ? Sectors{0xf}
             : static_cast<Sectors>(((touched & 3) != 0 ? 3 : 0) | ((touched & 12) != 0 ? 12 : 0));
}

Cache::Result Cache::load(Address key, Sectors sectors, Waiter waiter) {
  Line* line = find(key);
  if (line == nullptr) {
    if (free_.empty()) return {Outcome::kNoMshr};
    line = victim(set_of(key));
    if (line == nullptr) return {Outcome::kNoLine};
    const Line old = *line;
    *line = Line{key, ++uses_, 0, 0, kNone};
    Result result = wait_for(*line, whole_sectors(sectors), waiter);
    result.write_back = old.dirty != 0;
    result.victim = old.key;
    result.dirty = old.dirty;
    return result;
  }
  const auto missing = static_cast<Sectors>(whole_sectors(sectors) & ~line->valid);
  if (missing != 0) return wait_for(*line, missing, waiter);
  line->used = ++uses_;
  return {};
}

Cache::Result Cache::wait_for(Line& line, Sectors missing, Waiter waiter) {
  Result result{Outcome::kMerged};
  if (line.mshr == kNone) {
    if (free_.empty()) return {Outcome::kNoMshr};
    line.mshr = free_.back();
    free_.pop_back();
    mshrs_[line.mshr] = {static_cast<std::uint32_t>(&line - lines_.data()), 0, 0};
  }
  Mshr& mshr = mshrs_[line.mshr];
  if (mshr.waiters == merges_) return {Outcome::kNoMerge};
  waiters_[line.mshr * merges_ + mshr.waiters++] = waiter;
  result.mshr = line.mshr;
  result.request = static_cast<Sectors>(missing & ~mshr.expected);
  mshr.expected |= result.request;
  if (result.request != 0) result.outcome = Outcome::kMiss;
  line.used = ++uses_;
  return result;
}

bool Cache::store_through(Address key, Sectors sectors) {
  Line* line = exists() ? find(key) : nullptr;
  if (line == nullptr || (line->valid & sectors) == 0) return false;
  line->valid &= static_cast<Sectors>(~sectors);
  return true;
}

bool Cache::store_back(Address key, Sectors sectors) {
  Line* line = exists() ? find(key) : nullptr;
  if (line == nullptr || (sectors & ~line->valid) != 0) return false;
  line->dirty |= sectors;
  line->used = ++uses_;
  return true;
}

void Cache::invalidate(std::uint64_t space) {
  for (Line& line : lines_)
    if (space_of(line.key) == space && line.mshr == kNone) line = Line{};
}

}  // namespace heddle
