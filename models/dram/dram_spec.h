#pragma once
// The GDDR5 memory of one GPU: channels, where an address lies, timing, and the controller of each channel.
// Plain data, validated by the loader.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

enum class DramCommand : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,
  kRead,
  kReadAuto,  // with precharge as soon as it is legal
  kWrite,
  kWriteAuto,
  kRefresh,  // all banks
};
constexpr std::size_t kDramCommands = 8;

constexpr const char* kDramCommandNames[kDramCommands] = {"ACT", "PRE", "PREAB", "RD",
                                                          "RDA", "WR",  "WRA",   "REF"};

inline const char* name_of(DramCommand command) {
  return kDramCommandNames[static_cast<std::size_t>(command)];
}

// Distances between commands in command clocks (CK), named as data sheets do. S: to another bank group,
// L: within one.
struct DramTiming {
  std::uint32_t burst = 0;  // CK of the data bus that a burst takes
  std::uint32_t cl = 0;     // read to its first data beat
  std::uint32_t wl = 0;     // write to its first data beat
  std::uint32_t rcdrd = 0, rcdwr = 0, rp = 0, ras = 0, rc = 0;
  std::uint32_t rrds = 0, rrdl = 0, ccds = 0, ccdl = 0;
  std::uint32_t wtrs = 0, wtrl = 0;  // from the end of write data
  std::uint32_t rtw = 0;             // read to write
  std::uint32_t wr = 0;              // end of write data to precharge
  std::uint32_t rtp = 0;             // read to precharge
  std::uint32_t ppd = 0;             // precharge to precharge
  std::uint32_t faw = 0, aw32 = 0;   // windows of at most 4 and 32 activates
  std::uint32_t refi = 0, rfc = 0;   // time between refreshes, and of one

  std::uint32_t write_to_read(bool same_group) const { return wl + burst + (same_group ? wtrl : wtrs); }
  std::uint32_t write_to_precharge() const { return wl + burst + wr; }
};

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
