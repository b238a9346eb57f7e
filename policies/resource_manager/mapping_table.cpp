#include "policies/resource_manager/mapping_table.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

constexpr const char* kTable = "mapping table";

// Returns the bits that number `count` things.
std::uint64_t bits_of(std::uint32_t count) {
  std::uint64_t bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace

MappingTable::MappingTable(const Shape& shape)
    : shape_(shape),
      place_(std::size_t{shape.rows} * shape.columns),
      owner_(shape.sets),
      accesses_(shape.sets),
      before_(shape.sets),
      held_(shape.rows),
      group_(shape.rows),
      swapped_of_group_(kMostGroups) {
  HEDDLE_CHECK(shape.sets <= kMostSets && shape.faulty <= shape.sets, kTable, Cycle{},
               "{} sets, {} of them faulty", shape.sets, shape.faulty);
  free_.reserve(shape.sets);
  reset();
}

void MappingTable::reset() {
  std::fill(place_.begin(), place_.end(), kNowhere);
  std::fill(accesses_.begin(), accesses_.end(), 0);
  std::fill(before_.begin(), before_.end(), 0);
  std::fill(owner_.begin(), owner_.end(), Entry{kNowhere, 0});
  cold_.clear();
  std::fill(held_.begin(), held_.end(), 0);
  std::fill(group_.begin(), group_.end(), 0);
  std::fill(swapped_of_group_.begin(), swapped_of_group_.end(), 0);
  swapped_ = 0;
  free_.clear();
  for (std::uint32_t set = usable(); set-- > 0;) free_.push_back(set);
}

std::uint64_t MappingTable::bits(const Shape& shape) {
  return std::uint64_t{shape.rows} * shape.columns * (bits_of(shape.sets) + 1);
}

void MappingTable::set_group(std::uint32_t row, std::uint32_t group) {
  HEDDLE_CHECK(held_[row] == 0 && group < kMostGroups, kTable, Cycle{}, "row {} with {} sets to group {}",
               row, held_[row], group);
  group_[row] = static_cast<std::uint16_t>(group);
}

void MappingTable::count_swapped(std::uint32_t row, int sets) {
  swapped_ += sets;
  swapped_of_group_[group_[row]] += sets;
}

std::optional<MappingTable::Entry> MappingTable::take(std::uint32_t row) {
  HEDDLE_CHECK(held_[row] < shape_.columns, kTable, Cycle{}, "row {} has all its {} sets", row,
               shape_.columns);
  std::uint32_t& place = place_[at(row, held_[row])];
  const Entry taken{row, held_[row]++};
  if (free_.empty()) {
    if (const std::optional<std::uint32_t> victim = least_accessed(row)) return replace(*victim, taken);
    place = kSwapped;
    count_swapped(row, 1);
    return std::nullopt;
  }
  map(taken, free_.back());
  free_.pop_back();
  return std::nullopt;
}

void MappingTable::map(const Entry& entry, std::uint32_t place) {
  place_[at(entry.row, entry.column)] = place;
  owner_[place] = entry;
  accesses_[place] = 0;
  before_[place] = kYoung;
}

// Returns the set that had the physical set and goes to swap space.
MappingTable::Entry MappingTable::replace(std::uint32_t place, const Entry& by) {
  const Entry replaced = owner_[place];
  place_[at(replaced.row, replaced.column)] = kSwapped;
  count_swapped(replaced.row, 1);
  map(by, place);
  return replaced;
}

void MappingTable::give_back(std::uint32_t row) {
  HEDDLE_CHECK(held_[row] > 0, kTable, Cycle{}, "row {} has no set", row);
  std::uint32_t& place = place_[at(row, --held_[row])];
  if (place == kSwapped) {
    count_swapped(row, -1);
  } else {
    owner_[place] = {kNowhere, 0};
    free_.push_back(place);
  }
  place = kNowhere;
}

void MappingTable::fetch(std::uint32_t row, std::uint32_t column) {
  HEDDLE_CHECK(is_swapped(row, column) && !free_.empty(), kTable, Cycle{},
               "set {} of row {} cannot be fetched", column, row);
  map({row, column}, free_.back());
  free_.pop_back();
  count_swapped(row, -1);
}

std::optional<MappingTable::Entry> MappingTable::exchange(std::uint32_t row, std::uint32_t column) {
  HEDDLE_CHECK(is_swapped(row, column), kTable, Cycle{}, "set {} of row {} is on chip", column, row);
  const std::optional<std::uint32_t> victim = not_accessed(row);
  if (!victim) return std::nullopt;
  count_swapped(row, -1);
  return replace(*victim, {row, column});
}

void MappingTable::end_epoch() {
  before_.swap(accesses_);
  std::fill(accesses_.begin(), accesses_.end(), 0);
  cold_.clear();
  for (std::uint32_t set = usable(); set-- > 0;)
    if (before_[set] == 0 && owner_[set].row != kNowhere) cold_.push_back(set);
}

std::optional<std::uint32_t> MappingTable::not_accessed(std::uint32_t by_row) {
  const auto is_cold = [this](std::uint32_t set) {
    return accesses_[set] + before_[set] == 0 && owner_[set].row != kNowhere;
  };
  while (!cold_.empty() && !is_cold(cold_.back())) cold_.pop_back();
  std::optional<std::uint32_t> of_others;
  for (auto set = cold_.rbegin(); set != cold_.rend(); ++set) {
    if (!is_cold(*set) || owner_[*set].row == by_row) continue;
    if (group_[owner_[*set].row] == group_[by_row]) return *set;
    if (!of_others) of_others = *set;
  }
  return of_others;
}

std::optional<std::uint32_t> MappingTable::least_accessed(std::uint32_t by_row) {
  const auto is_own = [this, by_row](std::uint32_t set) { return group_[owner_[set].row] == group_[by_row]; };
  if (const auto cold = not_accessed(by_row); cold && is_own(*cold)) return cold;
  const auto rank = [this, is_own](std::uint32_t set) {
    return std::uint64_t{!is_own(set)} << 32 | (accesses_[set] + before_[set]);
  };
  std::optional<std::uint32_t> least;
  for (std::uint32_t set = 0; set < usable(); ++set) {
    if (owner_[set].row == kNowhere || owner_[set].row == by_row) continue;
    if (!least || rank(set) < rank(*least)) least = set;
  }
  return least;
}

bool MappingTable::closes() const {
  std::uint32_t held = 0;
  std::uint32_t swapped = 0;
  std::uint32_t mapped = 0;
  std::vector<std::uint32_t> by_group(kMostGroups);
  for (std::uint32_t row = 0; row < shape_.rows; ++row) {
    for (std::uint32_t column = 0; column < shape_.columns; ++column) {
      const std::uint32_t place = place_[at(row, column)];
      if ((place == kNowhere) != (column >= held_[row])) return false;
      if (place == kNowhere) continue;
      ++held;
      if (place == kSwapped) {
        ++swapped;
        ++by_group[group_[row]];
        continue;
      }
      ++mapped;
      if (owner_[place].row != row || owner_[place].column != column) return false;
    }
  }
  return by_group == swapped_of_group_ && swapped == swapped_ && mapped + free() == usable() &&
         held == mapped + swapped;
}

}  // namespace heddle
