#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/gpc_map.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

// An L2Spec describes one L2 slice, and the bits of an address that choose the slice. Cycles are of the L2's
// clock.
struct L2Spec {
  static constexpr std::uint32_t kLineBytes = 128;
  static constexpr std::uint32_t kSectorBytes = 32;
  static constexpr std::uint32_t kMostBurstBytes = 64;  // of one DRAM burst
  // One request causes at most this number of transfers to DRAM: fills of 4 sectors, and write-backs of the
  // victim's bursts.
  static constexpr std::uint32_t kMostTransfers = 2 * kLineBytes / kSectorBytes;

  std::uint32_t sets = 0;  // a power of two
  std::uint32_t ways = 0;
  // By context: the ways of a set that its new lines take, behind those of the contexts before it. The
  // contexts beyond share the rest, or take any way if there is none. What is in L2 is found by all. Empty:
  // new lines of every context take any way.
  std::vector<std::uint32_t> ways_of;
  bool hash = false;
  PolicyChoice replacement{Replacement::kDefault, {}};
  std::uint32_t mshrs = 0;
  std::uint32_t merges = 0;                     // the most requests that wait on one MSHR, the first included
  std::uint32_t burst_bytes = kMostBurstBytes;  // the most of one DRAM request: 32 or 64
  std::uint32_t fill_bytes = 0;  // size of the DRAM request for a miss: 32 or 64, at most a burst
  std::uint32_t width =
      kSectorBytes;  // bytes of a request that the tags and data take in a cycle: whole sectors
  std::uint64_t request_latency = 0;  // a fixed delay from the crossbar to the tags
  std::uint64_t hit_latency = 0;      // from the access of a request's last sector to its reply
  std::uint32_t request_queue = 0;    // the most requests that wait, beside those in the request latency
  std::uint32_t reply_queue = 0;      // the most replies that wait, beside those in the hit latency
  std::uint32_t dram_queue = 0;       // the most requests to DRAM that wait; most_transfers() or more
  std::uint32_t return_queue = 0;     // the most responses of DRAM that wait in the slice
  std::uint32_t write_backs = 0;      // the most write-backs without a response of DRAM; 2 or more
  std::uint64_t atomic_cycles = 0;    // cycles that the port is busy for each step of an atomic
  bool atomic_sectors = false;        // a step serves a lane of each word of a sector; false: one lane
  // L2 may have two halves, of the first slices and of the others; the GPCs belong to them in turn. An access
  // of an SM of the other half takes these cycles more, and its data pass between the halves at so many bytes
  // a cycle of the slice. A read leaves a copy in the SM's own half, which later reads from there find. 0: L2
  // is one.
  std::uint64_t far_latency = 0;
  std::uint32_t far_bytes = 0;  // whole sectors
  bool copies_end = false;      // the end of a launch drops all copies in the other half
  GpcMap gpcs;
  bool copies_stay = false;  // lines that copies and fills write stay in the slice

  std::uint32_t slices_per_channel = 0;  // a power of two
  std::uint32_t slice_bit = 0;           // lowest bit of the slice's number in a channel-local address
  // These bits of the channel-local address, which are none of the number itself, are XORed onto the slice's
  // number: element i onto bit i mod log2(slices_per_channel).
  std::vector<std::uint32_t> slice_hash;

  std::string block;  // the block in RTL that stands in place of the slices, or beside them; empty: none

  // Returns the cycles that a slice takes to look up so many sectors, or to send them in a reply.
  std::uint32_t cycles_of(std::uint32_t sectors) const {
    return (sectors * kSectorBytes + width - 1) / width;
  }

  std::uint32_t most_transfers() const { return kLineBytes / kSectorBytes + kLineBytes / burst_bytes; }
};

// Returns the slice of the channel to which a channel-local address belongs.
std::uint32_t slice_in_channel(const L2Spec& spec, Address channel_local);
// Returns the address without the bits of the slice's number, so that adjacent lines of a slice use all its
// sets.
Address address_in_slice(const L2Spec& spec, Address channel_local);
// Returns the channel-local address of an address within the slice of this number in its channel.
Address address_in_channel(const L2Spec& spec, std::uint32_t slice, Address in_slice);

}  // namespace heddle
