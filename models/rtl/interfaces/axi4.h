#pragma once
// What both ends of AXI4 have in common (AMBA AXI and ACE Protocol Specification, Chapter A3).

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "models/rtl/interfaces/rtl_requests.h"
#include "models/rtl/rtl_port.h"

namespace heddle {

constexpr std::uint64_t kAxi4Incrementing = 1;  // AxBURST: INCR

// The signals of an address channel, AR or AW.
struct Axi4AddressPins {
  // `channel` begins the names of the role's signals, such as "aw".
  Axi4AddressPins(const RtlRole& role, const std::string& channel)
      : valid(role.find(channel + "_valid")),
        ready(role.find(channel + "_ready")),
        id(role.find(channel + "_id")),
        address(role.find(channel + "_address")),
        length(role.find(channel + "_length")),
        size(role.find(channel + "_size")),
        burst(role.find(channel + "_burst")) {}

  RtlSignalId valid, ready, id, address, length, size, burst;
};

// Returns the bytes of a beat. An RtlError says that the data of reads and writes do not suit.
inline std::uint32_t axi4_beat_bytes(const RtlPort& port, RtlSignalId w_data, RtlSignalId r_data) {
  const std::uint32_t bits = port.width(w_data);
  if (bits < 8 || (bits & (bits - 1)) != 0 || bits > RtlRequests::kLineBytes * 8 ||
      port.width(r_data) != bits)
    port.fail(
        fmt::format("the data of writes have {} bits and those of reads {}; both need the same power of "
                    "two, 8 to {}",
                    bits, port.width(r_data), RtlRequests::kLineBytes * 8));
  return bits / 8;
}

}  // namespace heddle
