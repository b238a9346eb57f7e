#include "models/cache/tag_array.h"

#include <algorithm>

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
    : sets_(spec.sets),
      ways_(spec.ways),
      used_ways_(spec.ways),
      power_of_two_(is_power(spec.sets)),
      set_bits_(power_of_two_ ? log2_of(spec.sets) : 0),
      line_mask_(spec.line_bytes - 1),
      line_shift_(log2_of(spec.line_bytes)),
      sector_shift_(log2_of(spec.sector_bytes)),
      hash_(spec.hash),
      replacement_(PolicyRegistry<Replacement>::make(spec.replacement)),
      keeps_state_(replacement_->keeps_state()),
      entries_(std::size_t{spec.sets} * spec.ways),
      uses_(entries_.size()),
      present_(spec.sets) {
  HEDDLE_CHECK(is_power(spec.line_bytes) && is_power(spec.sector_bytes) &&
                   spec.sector_bytes <= spec.line_bytes && spec.line_bytes / spec.sector_bytes <= 32 &&
                   (spec.ways >= 1 || spec.sets == 0),
               "tag array", Cycle{}, "{} sets of {} ways, lines of {} bytes, sectors of {}", spec.sets,
               spec.ways, spec.line_bytes, spec.sector_bytes);
  replacement_->resize(spec.sets, spec.ways);
}

std::uint32_t TagArray::folded(std::uint64_t number) const {
  if (hash_ == SetHash::kNone || sets_ == 1) return static_cast<std::uint32_t>(number % sets_);
  std::uint64_t set = 0;
  const std::uint32_t groups = hash_ == SetHash::kThreeGroups ? 3 : 64;
  for (std::uint32_t group = 0; group < groups && number != 0; ++group) {
    set ^= number;
    number = power_of_two_ ? number >> set_bits_ : number / sets_;
  }
  return static_cast<std::uint32_t>(power_of_two_ ? set & (sets_ - 1) : set % sets_);
}

TagArray::Line TagArray::victim(std::uint32_t set) const {
  const Line first = set * ways_;
  if (present_[set] < used_ways_) {
    Line empty = first;
    while (entries_[empty].address != kFree) ++empty;
    if (empty < first + used_ways_) return empty;
  }
  const std::uint32_t way = replacement_->victim(set, &uses_[first], used_ways_);
  return way == Replacement::kNone ? kNone : first + way;
}

TagArray::Line TagArray::victim(std::uint32_t set, const Ways& ways) const {
  const Line first = set * ways_ + ways.first;
  for (Line line = first; line < first + ways.count; ++line)
    if (entries_[line].address == kFree) return line;
  const std::uint32_t way = replacement_->victim(set, &uses_[first], ways.count);
  return way == Replacement::kNone ? kNone : first + way;
}

void TagArray::use_ways(std::uint32_t ways) {
  for (Line line = 0; line < lines(); ++line)
    if (line % ways_ >= ways && present(line) && reserved(line) == 0) drop(line);
  used_ways_ = ways;
}

void TagArray::install(Line line, Address address) {
  if (!present(line)) ++present_[line / ways_];
  entries_[line] = {address, 0, 0, 0};
  ++clock_;
  uses_[line] = {clock_, clock_, false};
  if (keeps_state_) replacement_->installed(line / ways_, line % ways_);
}

void TagArray::drop(Line line) {
  if (present(line)) --present_[line / ways_];
  entries_[line] = {};
  uses_[line] = {};
}

void TagArray::reset() {
  replacement_->reset();
  std::fill(entries_.begin(), entries_.end(), Entry{});
  std::fill(uses_.begin(), uses_.end(), LineUse{});
  std::fill(present_.begin(), present_.end(), 0u);
  clock_ = 0;
  used_ways_ = ways_;
}

SectorState TagArray::state(Line line, std::uint32_t sector) const {
  const Sectors bit = Sectors{1} << sector;
  const Entry& entry = entries_[line];
  if (entry.reserved & bit) return SectorState::kReserved;
  if (entry.dirty & bit) return SectorState::kDirty;
  return entry.valid & bit ? SectorState::kValid : SectorState::kInvalid;
}

}  // namespace heddle
