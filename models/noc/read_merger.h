#pragma once
// A ReadMerger stands between the SMs of a group, a TPC or a GPC, and the crossbar. A read of sectors that
// another read of the group is already to bring does not go to L2: it waits, and is answered with the same
// data. A write to a line lets no more reads wait for the reads of that line that are under way, because
// these may pass the write.
//
// The merger is pure logic. It does not own the requests.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/core/link/memory_request.h"
#include "models/noc/noc_spec.h"

namespace heddle {

class ReadMerger {
 public:
  explicit ReadMerger(const MergeSpec& spec);
  void reset();  // forgets every request

  // A request of the group with its physical address. Returns whether it waits for the answer of an earlier
  // one. If it does not, it is sent on, and the answer to it is given to answered(). The request is not
  // changed in between.
  bool waits(MemoryRequest& request);
  // Returns the requests that waited for this answer, in the order in which they came. The result is valid
  // until the next call.
  const std::vector<MemoryRequest*>& answered(const MemoryRequest& request);

  // Returns the number of requests that wait.
  std::uint32_t waiting() const { return waiting_; }

 private:
  struct Read {
    Address line = 0;
    Address first = 0;
    Address end = 0;
    bool open = false;  // reads may still wait for it
    std::vector<MemoryRequest*> waiting;
  };
  static Address line_of(Address address) { return address & ~Address{kLineBytes - 1}; }
  void close(Read& read);

  const MergeSpec spec_;
  std::vector<Read> reads_;                        // by entry
  std::vector<std::uint32_t> free_;                // entries
  std::unordered_map<Address, std::uint32_t> at_;  // entry of the open read of a line
  std::vector<MemoryRequest*> answered_;
  std::uint32_t waiting_ = 0;
};

}  // namespace heddle
