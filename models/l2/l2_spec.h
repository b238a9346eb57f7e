#pragma once

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

// One L2 slice, and which of them an address belongs to. Cycles are of the L2's clock.
struct L2Spec {
  static constexpr std::uint32_t kLineBytes = 128;
  static constexpr std::uint32_t kSectorBytes = 32;
  static constexpr std::uint32_t kBurstBytes = 64;  // of DRAM
  static constexpr std::uint32_t kMostTransfers =
      6;  // to DRAM for one request: 4 sectors, 2 bursts of a victim

  std::uint32_t sets = 0;  // a power of two
  std::uint32_t ways = 0;
  bool hash = false;
  PolicyChoice replacement{Replacement::kDefault, {}};
  std::uint32_t mshrs = 0;
  std::uint32_t merges = 0;           // requests on one MSHR, the first included
  std::uint32_t fill_bytes = 0;       // of one DRAM request for a miss: 32 or 64
  std::uint64_t request_latency = 0;  // fixed way before the slice
  std::uint64_t hit_latency = 0;      // from the access of a request's last sector to its reply
  std::uint32_t request_queue = 0;    // requests beyond those on the fixed way
  std::uint32_t reply_queue = 0;      // replies beyond those within the hit latency
  std::uint32_t dram_queue = 0;       // requests to DRAM that wait in the slice; kMostTransfers or more
  std::uint32_t return_queue = 0;     // responses of DRAM that wait in the slice
  std::uint32_t write_backs = 0;      // most without DRAM's response; 2 or more
  std::uint64_t atomic_cycles = 0;    // of the slice's port, for each lane of an atomic

  std::uint32_t slices_per_channel = 0;  // a power of two
  std::uint32_t slice_bit = 0;           // lowest bit of the slice's number in a channel-local address
  std::vector<std::uint32_t>
      slice_hash;  // channel-local address bits XORed onto it, in turn onto each of its bits
};

// Which slice of its channel a channel-local address belongs to.
std::uint32_t slice_in_channel(const L2Spec& spec, Address channel_local);
// The address without the bits that number the slice: lines of one slice side by side, over all its sets.
Address address_in_slice(const L2Spec& spec, Address channel_local);

}  // namespace heddle
