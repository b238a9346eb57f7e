#pragma once
// The end that sends requests and the end that serves them have the same signals in AXI4 (AMBA AXI and ACE
// Protocol Specification, Chapter A3).

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

// The signals of one end. `prefix` begins the names of the role's signals, such as "memory_".
struct Axi4Pins {
  Axi4Pins(const RtlRole& role, const std::string& prefix)
      : aw(role, prefix + "aw"),
        ar(role, prefix + "ar"),
        w_valid(role.find(prefix + "w_valid")),
        w_ready(role.find(prefix + "w_ready")),
        w_data(role.find(prefix + "w_data")),
        w_enables(role.find(prefix + "w_enables")),
        w_last(role.find(prefix + "w_last")),
        b_valid(role.find(prefix + "b_valid")),
        b_ready(role.find(prefix + "b_ready")),
        b_id(role.find(prefix + "b_id")),
        b_response(role.find(prefix + "b_response")),
        r_valid(role.find(prefix + "r_valid")),
        r_ready(role.find(prefix + "r_ready")),
        r_id(role.find(prefix + "r_id")),
        r_data(role.find(prefix + "r_data")),
        r_response(role.find(prefix + "r_response")),
        r_last(role.find(prefix + "r_last")) {}

  Axi4AddressPins aw, ar;
  RtlSignalId w_valid, w_ready, w_data, w_enables, w_last;
  RtlSignalId b_valid, b_ready, b_id, b_response;
  RtlSignalId r_valid, r_ready, r_id, r_data, r_response, r_last;
};

// Returns the bytes of a beat. An RtlError says that the data of reads and writes do not suit.
inline std::uint32_t axi4_beat_bytes(const RtlPort& port, const Axi4Pins& pins) {
  const std::uint32_t bits = port.width(pins.w_data);
  if (bits < 8 || (bits & (bits - 1)) != 0 || bits > kLineBytes * 8 || port.width(pins.r_data) != bits)
    port.fail(
        fmt::format("the data of writes have {} bits and those of reads {}; both need the same power of "
                    "two, 8 to {}",
                    bits, port.width(pins.r_data), kLineBytes * 8));
  return bits / 8;
}

}  // namespace heddle
