#include "models/cache/mshr_file.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

MshrFile::MshrFile(std::uint32_t entries, std::uint32_t merges, std::size_t places)
    : merges_(merges),
      at_(places, kNone),
      places_(entries),
      waiting_(entries),
      waiters_(std::size_t{entries} * merges),
      free_(entries) {
  HEDDLE_CHECK(places == 0 || (entries >= 1 && merges >= 1), "MSHR file", Cycle{},
               "{} entries of {} requests", entries, merges);
}

void MshrFile::reset() {
  std::fill(at_.begin(), at_.end(), kNone);
  free_.reset();
}

MshrFile::Entry MshrFile::allocate(std::uint32_t place) {
  HEDDLE_CHECK(!free_.empty() && at_[place] == kNone, "MSHR file", Cycle{}, "no entry for place {}", place);
  const Entry entry = free_.take();
  at_[place] = entry;
  places_[entry] = place;
  waiting_[entry] = 0;
  return entry;
}

void MshrFile::release(Entry entry) {
  HEDDLE_CHECK(at_[places_[entry]] == entry, "MSHR file", Cycle{}, "entry {} is not in use", entry);
  at_[places_[entry]] = kNone;
  free_.give_back(entry);
}

}  // namespace heddle
