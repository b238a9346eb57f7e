#pragma once
// Miss status holding registers: one entry for each fill in flight, found by its address, with the requests
// that wait for it in order of arrival. What an address stands for (line, sector, burst) is the caller's.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class MshrFile {
 public:
  using Entry = std::uint32_t;  // 0 .. entries - 1
  static constexpr Entry kNone = ~Entry{0};

  // `merges`: most requests that wait on one entry, the first included.
  MshrFile(std::uint32_t entries, std::uint32_t merges);

  Entry find(Address address) const;  // or kNone
  std::uint32_t free_entries() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t in_use() const { return entries_ - free_entries(); }

  // The address is not in flight, and an entry is free. Nothing waits on it yet.
  Entry allocate(Address address);
  bool can_wait(Entry entry) const { return waiting_[entry] < merges_; }
  void wait(Entry entry, std::uint64_t request) { waiters_[entry * merges_ + waiting_[entry]++] = request; }

  Address address(Entry entry) const { return addresses_[entry]; }
  std::uint32_t waiting(Entry entry) const { return waiting_[entry]; }
  std::uint64_t waiter(Entry entry, std::uint32_t i) const { return waiters_[entry * merges_ + i]; }
  void release(Entry entry);
  void reset();  // Every entry is free afterwards.

 private:
  std::size_t home(Address address) const;
  std::size_t slot_of(Address address) const;  // its slot, or the empty one where it would go

  const std::uint32_t entries_;
  const std::uint32_t merges_;
  std::vector<Address> addresses_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint64_t> waiters_;  // [entry][merges]
  std::vector<Entry> free_;             // the next one last
  std::vector<Entry> slots_;            // open addressing, linear probing, at most half full
  std::uint32_t slot_shift_ = 0;
};

}  // namespace heddle
