#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/base/gpc_map.h"

namespace heddle {

// A MergeSpec describes which SMs have their reads of the same sectors merged, so that L2 is read once for
// all of them (models/noc/read_merger.h).
struct MergeSpec {
  enum class Of { kNone, kTpc, kCpc, kGpc };
  Of of = Of::kNone;          // the SMs of a group, whose reads are merged
  std::uint32_t entries = 0;  // reads of a group that others may wait for, 1 or more
  std::uint32_t reads = 0;    // the most that one answer serves, 2 or more
  GpcMap gpcs;
  std::uint32_t port_bytes = 0;  // of answers, which a group takes in a cycle; 0: there is no limit

  // Returns the number of the TPC, CPC or GPC of the SM, whichever merges reads.
  std::uint32_t group_of(SmId sm) const {
    return of == Of::kTpc ? gpcs.tpc_of(sm) : of == Of::kCpc ? gpcs.cpc_of(sm) : gpcs.gpc_of(sm);
  }
  // Returns into how many groups a GPU of `sms` SMs is divided, or 0 if no reads are merged.
  std::uint32_t groups(std::uint32_t sms) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; of != Of::kNone && i < sms; ++i) count = std::max(count, group_of(SmId{i}) + 1);
    return count;
  }
};

// A NocSpec describes the crossbar between SMs and L2 slices, which has one switch for each direction. Cycles
// are of the crossbar's own clock.
struct NocSpec {
  std::uint32_t flit_bytes = 0;
  std::uint32_t header_bytes = 0;  // of every packet
  std::uint32_t input_flits = 0;   // size of an input buffer; the longest packet fits
  std::uint32_t output_flits = 0;  // size of an output buffer; the longest packet fits
  // The latency lasts from the cycle in which a flit leaves its input buffer to the first cycle in which it
  // can leave the crossbar; it is 1 or more.
  std::uint64_t latency = 0;

  static constexpr std::uint32_t kMostData = 128;  // the most bytes of data in one packet
  // The most bytes that one packet of a reply answers for. The reply to a longer request is several packets,
  // which other replies to the same SM may come between. Those of a write carry no data.
  std::uint32_t reply_bytes = kMostData;
  MergeSpec merge;
  std::uint32_t reply_flit_bytes = 0;  // of the replies' switch; 0: as of the requests'
  // Bytes of answers that an SM takes in a cycle, where the replies' switch is faster; 0: as many as the
  // switch brings.
  std::uint32_t sm_port_bytes = 0;

  // Element i is the most requests of context i that an L2 slice may have without having answered them. An
  // element of 0 means that there is no limit, and further contexts have no limit either.
  std::vector<std::uint32_t> outstanding_of;

  std::uint32_t flits(std::uint32_t data_bytes) const {
    return (header_bytes + data_bytes + flit_bytes - 1) / flit_bytes;
  }
  // Returns the flits of a packet of a reply.
  std::uint32_t reply_flits(std::uint32_t data_bytes) const {
    const std::uint32_t flit = reply_flit_bytes != 0 ? reply_flit_bytes : flit_bytes;
    return (header_bytes + data_bytes + flit - 1) / flit;
  }
  // Returns the cycles for which the answer to a read occupies the SM's port, beside those in the switch.
  std::uint32_t port_cycles(std::uint32_t data_bytes) const {
    return sm_port_bytes == 0 ? 1 : (data_bytes + sm_port_bytes - 1) / sm_port_bytes;
  }
};

}  // namespace heddle
