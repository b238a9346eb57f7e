#pragma once
// A DramSpec describes the memory of one GPU: channels, address map, timing, and the controller of each
// channel. It is plain data, which the platform loader validates.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_timing.h"
#include "policies/refresh_policy/i_refresh_policy.h"
#include "policies/write_drain/i_write_drain.h"

namespace heddle {

// A BankHash XORs bits of the channel-local address into one bit of the number of a bank or bank group.
struct BankHash {
  char field = 'G';       // G: bank group, B: bank, P: pseudo-channel
  std::uint32_t bit = 0;  // bit of the field; 0 is the least significant
  std::vector<std::uint32_t> address_bits;
};

struct DramMapSpec {
  std::string bits;  // a letter for each bit of a channel-local address; see LocalMap
  std::vector<BankHash> bank_hash;
  std::uint32_t burst_bytes = 0;
  std::uint32_t stack_ids = 1;  // of a pseudo-channel; the first G of `bits` are the bits of the stack id
  std::uint32_t channels = 0;
  std::uint64_t interleave = 0;  // adjacent bytes in one channel
  // Element i lists the address bits whose parity is bit i of the hash of the channel's number; see
  // ChannelMap. An empty list means no hash.
  std::vector<std::vector<std::uint32_t>> channel_hash;
  // Element i lists the channels in which the memory of context i lies. If there are more contexts than
  // elements, the further contexts have the first elements again, in turn. Two elements list the same
  // channels, or have no channel in common. Without elements the memory of every context lies in all
  // channels.
  std::vector<std::vector<std::uint32_t>> channels_of;
  // The bytes of device memory that each channel holds, in whole pages. It is used with channels_of alone.
  std::uint64_t channel_bytes = 0;

  // Returns the pseudo-channels of a channel: 2 for a map with a P, otherwise 1.
  std::uint32_t pseudo_channels() const { return bits.find('P') == std::string::npos ? 1 : 2; }
  // Returns the map of a memory that has only `count` of these channels, fewer than `channels`. The hash of
  // the number of a channel then has as many bits as the smaller numbers need.
  DramMapSpec narrowed(std::uint32_t count) const {
    DramMapSpec map = *this;
    map.channels = count;
    map.channels_of.clear();
    std::size_t number_bits = 0;
    while ((std::uint64_t{1} << number_bits) < count) ++number_bits;
    map.channel_hash.resize(std::min(channel_hash.size(), number_bits));
    return map;
  }
};

struct DramSpec {
  DramMapSpec map;
  DramTiming timing;
  std::uint32_t queue = 0;       // size of the request queue, reads and writes together
  std::uint32_t write_high = 0;  // a write drain starts when at least this number of writes waits
  std::uint32_t write_low = 0;   // a write drain ends when at most this number of writes is left
  PolicyChoice write_drain{WriteDrain::kDefault, {}};  // decides by write_high and write_low
  bool refresh = true;
  bool refresh_by_bank = false;
  std::uint32_t refresh_postpone = 0;  // refreshes that may be postponed while requests wait, 0 .. 8
  PolicyChoice refresh_policy{RefreshPolicy::kDefault, {}};
  std::uint32_t latency = 0;       // CK from the arrival of a request to the queue
  std::uint32_t return_queue = 0;  // most reads that the controller has accepted and not answered
  std::string block;  // the block in RTL that stands in place of the channels, or beside them; empty: none

  std::uint32_t pseudo_channels() const { return map.channels * map.pseudo_channels(); }  // of all channels
};

}  // namespace heddle
