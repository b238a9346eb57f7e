#include "models/cache/tag_array.h"

#include "models/core/base/check.h"

namespace heddle {

namespace {

std::uint32_t log2_of(std::uint64_t power) {
  return static_cast<std::uint32_t>(__builtin_ctzll(power));
}

bool is_power(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

TagArray::TagArray(const TagArraySpec& spec)
    : ways_(spec.ways),
      set_mask_(spec.sets - 1),
      set_bits_(log2_of(spec.sets)),
      line_mask_(spec.line_bytes - 1),
      line_shift_(log2_of(spec.line_bytes)),
      sector_shift_(log2_of(spec.sector_bytes)),
      hash_(spec.hash),
      entries_(std::size_t{spec.sets} * spec.ways) {
  HEDDLE_CHECK(is_power(spec.sets) && is_power(spec.line_bytes) && is_power(spec.sector_bytes) &&
                   spec.sector_bytes <= spec.line_bytes && spec.line_bytes / spec.sector_bytes <= 32 &&
                   spec.ways >= 1,
               "tag array", Cycle{}, "{} sets of {} ways, lines of {} bytes, sectors of {}", spec.sets,
               spec.ways, spec.line_bytes, spec.sector_bytes);
}

std::uint32_t TagArray::set_of(Address address) const {
  std::uint64_t index = address >> line_shift_;
  if (!hash_ || set_bits_ == 0) return static_cast<std::uint32_t>(index) & set_mask_;
  std::uint64_t set = 0;
  for (; index != 0; index >>= set_bits_) set ^= index;
  return static_cast<std::uint32_t>(set) & set_mask_;
}

TagArray::Line TagArray::find(std::uint32_t set, Address line) const {
  const Line first = set * ways_;
  for (Line at = first; at < first + ways_; ++at)
    if (entries_[at].address == line) return at;
  return kNone;
}

TagArray::Line TagArray::victim(std::uint32_t set) const {
  const Line first = set * ways_;
  Line oldest = kNone;
  for (Line at = first; at < first + ways_; ++at) {
    const Entry& entry = entries_[at];
    if (entry.address == kFree) return at;
    if (entry.reserved == 0 && (oldest == kNone || entry.used < entries_[oldest].used)) oldest = at;
  }
  return oldest;
}

void TagArray::install(Line line, Address address) {
  entries_[line] = {address, ++uses_, 0, 0, 0};
}

void TagArray::drop(Line line) {
  entries_[line] = {};
}

void TagArray::reset() {
  for (Entry& entry : entries_) entry = {};
  uses_ = 0;
}

SectorState TagArray::state(Line line, std::uint32_t sector) const {
  const Sectors bit = Sectors{1} << sector;
  const Entry& entry = entries_[line];
  if (entry.reserved & bit) return SectorState::kReserved;
  if (entry.dirty & bit) return SectorState::kDirty;
  return entry.valid & bit ? SectorState::kValid : SectorState::kInvalid;
}

}  // namespace heddle
