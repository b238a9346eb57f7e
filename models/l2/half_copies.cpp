#include "models/l2/half_copies.h"

#include <algorithm>

namespace heddle {

HalfCopies::HalfCopies(const L2Spec& spec, const TagArray& tags, Group& stats)
    : ways_(spec.ways), tags_(tags) {
  if (spec.far_latency == 0) return;
  sectors_.resize(tags.lines());
  copies_.resize(spec.sets);
  epochs_.resize(spec.sets);
  stats.add(far_accesses_, "far_accesses", "sector", "of the accesses, those of SMs of the other half");
  stats.add(crossings_, "crossings", "sector", "of these, those that found no copy in their own half");
}

void HalfCopies::reset() {
  std::fill(sectors_.begin(), sectors_.end(), 0);
  std::fill(copies_.begin(), copies_.end(), 0);
}

void HalfCopies::refresh(std::uint32_t set) {
  if (epochs_[set] == epoch_) return;
  epochs_[set] = epoch_;
  if (copies_[set] == 0) return;
  std::fill_n(sectors_.begin() + std::ptrdiff_t{set} * ways_, ways_, 0);
  copies_[set] = 0;
}

bool HalfCopies::read(TagArray::Line line, TagArray::Sectors sectors) {
  const std::uint32_t set = line / ways_;
  refresh(set);
  const TagArray::Sectors missing = sectors & ~TagArray::Sectors{sectors_[line]};
  count(sectors, missing);
  if (missing == 0) return false;
  if (sectors_[line] == 0) {
    if (is_full(set) && !drop_oldest(line)) return true;
    ++copies_[set];
  }
  sectors_[line] |= static_cast<std::uint8_t>(missing);
  return true;
}

void HalfCopies::drop(TagArray::Line line, TagArray::Sectors sectors) {
  refresh(line / ways_);
  if (sectors_[line] == 0) return;
  sectors_[line] &= static_cast<std::uint8_t>(~sectors);
  if (sectors_[line] == 0) --copies_[line / ways_];
}

void HalfCopies::make_room(TagArray::Line line) {
  const std::uint32_t set = line / ways_;
  refresh(set);
  if (tags_.lines_in(set) + copies_[set] > ways_) drop_oldest(line);
}

bool HalfCopies::drop_oldest(TagArray::Line line) {
  const TagArray::Line first = line / ways_ * ways_;
  TagArray::Line oldest = TagArray::kNone;
  for (TagArray::Line at = first; at < first + ways_; ++at)
    if (at != line && sectors_[at] != 0 &&
        (oldest == TagArray::kNone || tags_.last_use(at) < tags_.last_use(oldest)))
      oldest = at;
  if (oldest == TagArray::kNone) return false;
  drop(oldest, ~TagArray::Sectors{0});
  return true;
}

void HalfCopies::count(TagArray::Sectors accessed, TagArray::Sectors crossing) {
  far_accesses_ += static_cast<std::uint64_t>(__builtin_popcount(accessed));
  crossings_ += static_cast<std::uint64_t>(__builtin_popcount(crossing));
}

}  // namespace heddle
