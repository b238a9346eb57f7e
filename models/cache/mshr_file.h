#pragma once
// Miss status holding registers: one entry for each fill in flight, with the requests that wait for it in
// order of arrival. A fill is found by its place among the tags: a line, or a sector of one, as the cache
// numbers them. A line with a fill in flight is locked, so its place stays its own.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class MshrFile {
 public:
  using Entry = std::uint32_t;  // 0 .. entries - 1
  static constexpr Entry kNone = ~Entry{0};

  // `merges`: most requests that wait on one entry, the first included. `places`: what fills can fill.
  MshrFile(std::uint32_t entries, std::uint32_t merges, std::size_t places);

  Entry find(std::uint32_t place) const { return at_[place]; }  // or kNone
  std::uint32_t free_entries() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t in_use() const { return entries_ - free_entries(); }

  // No fill of the place is in flight, and an entry is free. Nothing waits on it yet.
  Entry allocate(std::uint32_t place);
  bool can_wait(Entry entry) const { return waiting_[entry] < merges_; }
  void wait(Entry entry, std::uint64_t request) { waiters_[entry * merges_ + waiting_[entry]++] = request; }

  std::uint32_t place(Entry entry) const { return places_[entry]; }
  std::uint32_t waiting(Entry entry) const { return waiting_[entry]; }
  std::uint64_t waiter(Entry entry, std::uint32_t i) const { return waiters_[entry * merges_ + i]; }
  void release(Entry entry);
  void reset();  // Every entry is free afterwards.

 private:
  const std::uint32_t entries_;
  const std::uint32_t merges_;
  std::vector<Entry> at_;              // by place
  std::vector<std::uint32_t> places_;  // by entry
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint64_t> waiters_;  // [entry][merges]
  std::vector<Entry> free_;             // unused entries; the last one is allocated next
};

}  // namespace heddle
