#pragma once
// The memory of one GPU: channels, where an address lies, timing, and the controller of each channel.
// Plain data, validated by the loader.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_timing.h"

namespace heddle {

// One bit of the number of a bank or bank group is XORed with bits of the channel-local address.
struct BankHash {
  char field = 'G';       // G or B
  std::uint32_t bit = 0;  // of the field; 0 is the least significant one
  std::vector<std::uint32_t> address_bits;
};

struct DramMapSpec {
  std::string bits;  // a letter for each bit of a channel-local address; see LocalMap
  std::vector<BankHash> bank_hash;
  std::uint32_t burst_bytes = 0;
  std::uint32_t channels = 0;
  std::uint64_t interleave = 0;  // neighbouring bytes of one channel
  // By bit of the channel's number: the bits of the physical address with which it is XORed. Empty: no hash.
  std::vector<std::vector<std::uint32_t>> channel_hash;
};

struct DramSpec {
  DramMapSpec map;
  DramTiming timing;
  std::uint32_t queue = 0;       // size of the request queue, reads and writes together
  std::uint32_t write_high = 0;  // a write drain starts when so many writes wait
  std::uint32_t write_low = 0;   // a write drain ends when so many writes or fewer are left
  bool refresh = true;
  std::uint32_t refresh_postpone = 0;  // refreshes that may be postponed while requests wait, 0 .. 8
  std::uint32_t latency = 0;           // CK from the arrival of a request to the queue
  std::uint32_t return_queue = 0;      // most reads that the controller has accepted and not answered
};

}  // namespace heddle
