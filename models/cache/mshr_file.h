#pragma once
// An MshrFile holds the miss status holding registers (MSHRs) of a cache. Each fill in flight has one entry,
// which holds the requests that wait for the fill in order of arrival. A fill is found by its place in the
// tag array: the number of a line or of a part of a line, as the cache defines it. A line with a fill in
// flight is not evicted, so its place stays valid.

#include <cstdint>
#include <vector>

#include "models/core/base/free_list.h"
#include "models/core/base/ids.h"
#include "models/core/base/lazy_array.h"

namespace heddle {

class MshrFile {
 public:
  using Entry = std::uint32_t;  // 0 .. entries - 1
  static constexpr Entry kNone = ~Entry{0};

  // `merges` is the most requests that wait on one entry, the first included. `places` is the number of
  // places.
  MshrFile(std::uint32_t entries, std::uint32_t merges, std::size_t places);

  // Returns kNone if no fill of the place is in flight.
  Entry find(std::uint32_t place) const { return at_[place]; }
  std::uint32_t free_entries() const { return free_.left(); }
  std::uint32_t in_use() const { return free_.in_use(); }

  // Allocates an entry without waiters. No fill of the place may be in flight, and an entry must be free.
  Entry allocate(std::uint32_t place);
  bool can_wait(Entry entry) const { return waiting_[entry] < merges_; }
  void wait(Entry entry, std::uint64_t request) { waiters_[entry * merges_ + waiting_[entry]++] = request; }

  std::uint32_t place(Entry entry) const { return places_[entry]; }
  std::uint32_t waiting(Entry entry) const { return waiting_[entry]; }
  std::uint64_t waiter(Entry entry, std::uint32_t i) const { return waiters_[entry * merges_ + i]; }
  void release(Entry entry);
  void reset();  // frees every entry

 private:
  const std::uint32_t merges_;
  std::vector<Entry> at_;              // by place
  std::vector<std::uint32_t> places_;  // by entry
  std::vector<std::uint32_t> waiting_;
  LazyArray<std::uint64_t> waiters_;  // [entry][merges]
  FreeList free_;
};

}  // namespace heddle
