#include "models/sm/pipeline/cache.h"

#include <algorithm>
#include <array>

#include "models/sm/pipeline/coalescer.h"

namespace heddle {

const char* name_of(Cache::Outcome outcome) {
  constexpr std::array<const char*, 6> kNames{"hit",
                                              "merged with a miss in flight",
                                              "miss",
                                              "refused: no line is free",
                                              "refused: no MSHR is free",
                                              "refused: the MSHR is full"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Cache::Cache(const CacheSpec& spec)
    : way_bytes_(spec.sets * spec.line_bytes),
      ways_(spec.ways),
      sector_bytes_(spec.sector_bytes),
      tags_({spec.sets, spec.ways, spec.line_bytes, kSectorBytes,
             spec.hashed ? SetHash::kThreeGroups : SetHash::kNone, spec.replacement}),
      mshrs_(spec.mshrs, spec.merges, tags_.lines()) {}

void Cache::reset() {
  tags_.reset();
  mshrs_.reset();
}

Cache::Sectors Cache::whole_sectors(Sectors touched) const {
  if (sector_bytes_ == kSectorBytes) return touched;
  return sector_bytes_ == kLineBytes
             ? Sectors{0xf}
             : static_cast<Sectors>(((touched & 3) != 0 ? 3 : 0) | ((touched & 12) != 0 ? 12 : 0));
}

Cache::Result Cache::load(Address key, Sectors sectors, Waiter waiter) {
  const std::uint32_t set = tags_.set_of(key);
  const TagArray::Line line = tags_.find(set, key);
  if (line == TagArray::kNone) {
    const Result result = request_line(set, key, whole_sectors(sectors));
    if (!refused(result.outcome)) mshrs_.wait(result.mshr, waiter);
    return result;
  }
  const auto missing = static_cast<Sectors>(whole_sectors(sectors) & ~tags_.valid(line));
  Result result;
  if (missing != 0) result = wait_for(line, missing, waiter);
  if (!refused(result.outcome)) tags_.touch(line);
  return result;
}

Cache::Result Cache::prefetch(Address key, Sectors sectors) {
  const std::uint32_t set = tags_.set_of(key);
  return tags_.find(set, key) != TagArray::kNone ? Result{} : request_line(set, key, whole_sectors(sectors));
}

Cache::Result Cache::request_line(std::uint32_t set, Address key, Sectors sectors) {
  if (mshrs_.free_entries() == 0) return {Outcome::kNoMshr};
  const TagArray::Line line = tags_.victim(set);
  if (line == TagArray::kNone) return {Outcome::kNoLine};
  Result result{Outcome::kMiss};
  result.dirty = static_cast<Sectors>(tags_.dirty(line));
  result.write_back = result.dirty != 0;
  result.victim = tags_.address(line);
  result.mshr = mshrs_.allocate(line);
  result.request = sectors;
  tags_.install(line, key);
  tags_.reserve(line, sectors);
  return result;
}

std::optional<Address> Cache::victim_of(Address key) const {
  const std::uint32_t set = tags_.set_of(key);
  if (tags_.find(set, key) != TagArray::kNone) return std::nullopt;
  const TagArray::Line line = tags_.victim(set);
  if (line == TagArray::kNone || !tags_.present(line)) return std::nullopt;
  return tags_.address(line);
}

Cache::Result Cache::wait_for(TagArray::Line line, Sectors missing, Waiter waiter) {
  Result result{Outcome::kMerged};
  result.mshr = mshrs_.find(line);
  if (result.mshr == MshrFile::kNone) {
    if (mshrs_.free_entries() == 0) return {Outcome::kNoMshr};
    result.mshr = mshrs_.allocate(line);
  }
  if (!mshrs_.can_wait(result.mshr)) return {Outcome::kNoMerge};
  mshrs_.wait(result.mshr, waiter);
  result.request = static_cast<Sectors>(missing & ~tags_.reserved(line));
  if (result.request != 0) {
    tags_.reserve(line, result.request);
    result.outcome = Outcome::kMiss;
  }
  return result;
}

bool Cache::store_through(Address key, Sectors sectors, bool updates) {
  if (!exists()) return false;
  const TagArray::Line line = tags_.find(tags_.set_of(key), key);
  if (line == TagArray::kNone || (tags_.valid(line) & sectors) == 0) return false;
  if (updates)
    tags_.touch(line);
  else
    tags_.set_invalid(line, sectors);
  return true;
}

bool Cache::store_back(Address key, Sectors sectors) {
  if (!exists()) return false;
  const TagArray::Line line = tags_.find(tags_.set_of(key), key);
  if (line == TagArray::kNone || (sectors & ~tags_.valid(line)) != 0) return false;
  tags_.set_dirty(line, sectors);
  tags_.touch(line);
  return true;
}

void Cache::resize(std::uint32_t bytes) {
  if (exists()) tags_.use_ways(std::clamp(bytes / way_bytes_, 1u, ways_));
}

void Cache::invalidate(std::uint64_t space) {
  for (TagArray::Line line = 0; line < tags_.lines(); ++line)
    if (tags_.present(line) && space_of(tags_.address(line)) == space && tags_.reserved(line) == 0)
      tags_.drop(line);
}

}  // namespace heddle
