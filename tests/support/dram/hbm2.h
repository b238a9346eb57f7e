#pragma once
// An HBM2 channel made in code, with the timing of the V100's memory at 877 MHz, and addresses in it.

#include <string>

#include "tests/support/dram/gddr5.h"

namespace heddle::test {

// In this map consecutive bursts alternate between the two pseudo-channels. The bursts of one pseudo-channel
// then fill the columns of a row.
constexpr const char* kHbm2Map = "RRRRRRRRRRRRRRBBGGCCCCCPSSSSS";
constexpr const char* kHbm2TwoStacksMap = "RRRRRRRRRRRRRRGBBGGCCCCCPSSSSS";

// A place in a channel with one of these maps, and its address.
struct Hbm2Place {
  Address row = 0;
  Address bank = 0;
  Address group = 0;
  Address column = 0;
  Address pseudo_channel = 0;
  Address stack = 0;

  Address in_one_stack() const {
    return pseudo_channel << 5 | column << 6 | group << 11 | bank << 13 | row << 15;
  }
  Address in_two_stacks() const {
    return pseudo_channel << 5 | column << 6 | group << 11 | bank << 13 | stack << 15 | row << 16;
  }
};

inline DramSpec hbm2_spec(const std::string& map = kHbm2Map) {
  DramSpec spec;
  spec.map.bits = map;
  spec.map.burst_bytes = 32;
  spec.map.channels = 32;
  spec.map.interleave = 256;
  spec.timing = DramTiming(*find_dram_standard("hbm2"));
  DramTiming& t = spec.timing;
  t["burst"] = t["ccds"] = t["ccdr"] = 2;
  t["ccdl"] = 3;
  t["cl"] = 15;
  t["wl"] = 7;
  t["rtw"] = 16;
  t["rcdrd"] = 11;
  t["rcdwr"] = 6;
  t["rp"] = 13;
  t["ras"] = 25;
  t["rc"] = 38;
  t["rrds"] = 4;
  t["rrdl"] = 6;
  t["faw"] = 16;
  t["wtrs"] = 4;
  t["wtrl"] = 8;
  t["wr"] = 13;
  t["rtp"] = 5;
  t["refi"] = 3420;
  t["rfc"] = 229;
  t["refisb"] = 213;
  t["rfcsb"] = 141;
  t["rrefd"] = 8;
  spec.queue = 64;
  spec.write_high = 32;
  spec.write_low = 16;
  spec.refresh = false;
  spec.latency = 100;
  spec.return_queue = 256;
  return spec;
}

inline DramSpec hbm2_two_stacks_spec() {
  DramSpec spec = hbm2_spec(kHbm2TwoStacksMap);
  spec.map.stack_ids = 2;
  spec.timing["ccdr"] = 5;
  return spec;
}

}  // namespace heddle::test
