#pragma once

#include <cstdint>

namespace heddle {

// The crossbar between SMs and L2 slices, one switch each way. Cycles are of its own clock.
struct NocSpec {
  std::uint32_t flit_bytes = 0;
  std::uint32_t header_bytes = 0;  // of every packet
  std::uint32_t input_flits = 0;   // buffer of an input port; holds the longest packet
  std::uint32_t output_flits = 0;  // buffer of an output port; holds the longest packet
  std::uint64_t latency =
      0;  // from a flit's leaving its input buffer until it can leave the crossbar; 1 or more
  bool oldest_first = false;  // by issue cycle of the request, then port; else round robin

  static constexpr std::uint32_t kMostData = 128;  // bytes of one packet

  std::uint32_t flits(std::uint32_t data_bytes) const {
    return (header_bytes + data_bytes + flit_bytes - 1) / flit_bytes;
  }
};

}  // namespace heddle
