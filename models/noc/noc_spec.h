#pragma once

#include <cstdint>

namespace heddle {

// The crossbar between SMs and L2 slices, with one switch for each direction. Cycles are of its own clock.
struct NocSpec {
  std::uint32_t flit_bytes = 0;
  std::uint32_t header_bytes = 0;  // of every packet
  std::uint32_t input_flits = 0;   // size of an input buffer; it holds the longest packet
  std::uint32_t output_flits = 0;  // size of an output buffer; it holds the longest packet
  // From the cycle in which a flit leaves its input buffer to the first in which it can leave the crossbar; 1
  // or more.
  std::uint64_t latency = 0;
  // True: an output takes the packet whose request was issued first, of equals that of the lowest port.
  // False: an output takes its inputs in turn.
  bool oldest_first = false;

  static constexpr std::uint32_t kMostData = 128;  // bytes of one packet

  std::uint32_t flits(std::uint32_t data_bytes) const {
    return (header_bytes + data_bytes + flit_bytes - 1) / flit_bytes;
  }
};

}  // namespace heddle
