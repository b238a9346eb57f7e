#pragma once
// MergedReads has a ReadMerger for each group of neighbouring SMs. Reads that are merged wait here, and when
// the answer to the read that went to L2 comes back, they are answered with the same data: each of them waits
// until the port of its SM is free. MergedReads is pure logic and does not own the requests.

#include <cstdint>
#include <deque>
#include <vector>

#include "models/core/base/counter.h"
#include "models/core/base/port_set.h"
#include "models/core/link/memory_request.h"
#include "models/noc/noc_spec.h"
#include "models/noc/read_merger.h"
#include "models/stats/group.h"

namespace heddle {

class MergedReads {
 public:
  MergedReads(const MergeSpec& spec, std::uint32_t sms);
  void reset();  // forgets every request
  void add_stats(Group& group);

  // Takes a request with its physical address before it enters the request switch. Returns whether it waits
  // for the answer of another SM's read, and does not go to L2.
  bool waits(MemoryRequest& request) {
    if (mergers_.empty() || !merger_of(request).waits(request)) return false;
    ++merged_reads_;
    return true;
  }
  // Takes an answer that has left the reply switch, and shares it with the reads that wait for it. Returns
  // whether there are any.
  bool share(const MemoryRequest& answer) { return answer.merger_entry != 0 && share_with_waiting(answer); }

  // Returns the SMs for which the data of at least one merged read have come. Such a read is answered when
  // the SM's port is free.
  const PortSet& answered_sms() const { return answered_sms_; }
  // Removes the oldest of these reads of an SM. There is one.
  MemoryRequest& take_answered(std::uint32_t sm);

  bool idle() const;  // whether no request waits
  // Calls visit(sm, reads) for each group with reads that wait for an answer from L2: the number of its first
  // SM, and that of the reads.
  template <class Visit>
  void for_each_waiting(Visit visit) const {
    for (std::uint32_t i = 0; i < mergers_.size(); ++i)
      if (const std::uint32_t reads = mergers_[i].waiting(); reads > 0) visit(first_sm(i), reads);
  }

 private:
  ReadMerger& merger_of(const MemoryRequest& request) { return mergers_[spec_.group_of(request.sm)]; }
  SmId first_sm(std::uint32_t group) const;
  bool share_with_waiting(const MemoryRequest& answer);

  const MergeSpec spec_;
  std::vector<ReadMerger> mergers_;                   // by group; empty: no reads are merged
  std::vector<std::deque<MemoryRequest*>> answered_;  // by SM: reads that wait for its port
  PortSet answered_sms_;
  Counter merged_reads_;
};

}  // namespace heddle
