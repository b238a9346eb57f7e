#pragma once

#include <cstdint>

namespace heddle {

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

  std::uint32_t flits(std::uint32_t data_bytes) const {
    return (header_bytes + data_bytes + flit_bytes - 1) / flit_bytes;
  }
};

}  // namespace heddle
