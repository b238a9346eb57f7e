#include "models/cache/mshr_file.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

MshrFile::MshrFile(std::uint32_t entries, std::uint32_t merges)
    : entries_(entries),
      merges_(merges),
      addresses_(entries),
      waiting_(entries),
      waiters_(std::size_t{entries} * merges) {
  HEDDLE_CHECK(entries >= 1 && merges >= 1, "MSHR file", Cycle{}, "{} entries of {} requests", entries,
               merges);
  std::size_t slots = 4;
  while (slots < 2 * std::size_t{entries}) slots *= 2;
  slots_.assign(slots, kNone);
  slot_shift_ = 64 - static_cast<std::uint32_t>(__builtin_ctzll(slots));
  reset();
}

void MshrFile::reset() {
  std::fill(slots_.begin(), slots_.end(), kNone);
  free_.clear();
  for (Entry entry = entries_; entry-- > 0;) free_.push_back(entry);
}

std::size_t MshrFile::home(Address address) const {
  return (address * 0x9e3779b97f4a7c15u) >> slot_shift_;
}

std::size_t MshrFile::slot_of(Address address) const {
  std::size_t slot = home(address);
  while (slots_[slot] != kNone && addresses_[slots_[slot]] != address)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

MshrFile::Entry MshrFile::find(Address address) const {
  return slots_[slot_of(address)];
}

MshrFile::Entry MshrFile::allocate(Address address) {
  const std::size_t slot = slot_of(address);
  HEDDLE_CHECK(!free_.empty() && slots_[slot] == kNone, "MSHR file", Cycle{}, "no entry for address {:#x}",
               address);
  const Entry entry = free_.back();
  free_.pop_back();
  slots_[slot] = entry;
  addresses_[entry] = address;
  waiting_[entry] = 0;
  return entry;
}

// Entries behind the gap move up into it unless that would put them before their home.
void MshrFile::release(Entry entry) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t gap = slot_of(addresses_[entry]);
  HEDDLE_CHECK(slots_[gap] == entry, "MSHR file", Cycle{}, "entry {} is not in use", entry);
  for (std::size_t slot = (gap + 1) & mask; slots_[slot] != kNone; slot = (slot + 1) & mask) {
    const std::size_t from_home = (slot - home(addresses_[slots_[slot]])) & mask;
    if (from_home < ((slot - gap) & mask)) continue;
    slots_[gap] = slots_[slot];
    gap = slot;
  }
  slots_[gap] = kNone;
  free_.push_back(entry);
}

}  // namespace heddle
