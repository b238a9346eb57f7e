#pragma once
// The memory of one GPU: channels, where an address lies, timing, and the controller of each channel.
// Plain data, validated by the loader.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_timing.h"

namespace heddle {

// One bit of a bank's or bank group's number is XORed with bits of the channel-local address.
struct BankHash {
  char field = 'G';       // G or B
  std::uint32_t bit = 0;  // of the field, 0 is the least significant
  std::vector<std::uint32_t> address_bits;
};

struct DramMapSpec {
  std::string bits;  // a letter for each bit of a channel-local address: see LocalMap
  std::vector<BankHash> bank_hash;
  std::uint32_t burst_bytes = 0;
  std::uint32_t channels = 0;
  std::uint64_t interleave = 0;  // bytes of one channel before the next one's
  // By bit of the channel's number: bits of the physical address it is XORed with. Empty: none.
  std::vector<std::vector<std::uint32_t>> channel_hash;
};

struct DramSpec {
  DramMapSpec map;
  DramTiming timing;
  std::uint32_t queue = 0;       // requests, reads and writes together
  std::uint32_t write_high = 0;  // with so many writes waiting the controller turns to them,
  std::uint32_t write_low = 0;   // and with so many or fewer back to reads
  bool refresh = true;
  std::uint32_t refresh_postpone = 0;  // refreshes that may be owed while requests wait, 0 .. 8
  std::uint32_t latency = 0;           // CK between a request's arrival and the queue
  std::uint32_t return_queue = 0;      // reads that may be on their way at once
};

}  // namespace heddle
