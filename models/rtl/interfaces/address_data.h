#pragma once
// The model's memory has no contents. A block in RTL that stores data gets bytes whose value is their
// address: the 8 bytes from an address on that is a multiple of 8 are that address, the lowest byte first.
// What comes back is checked to be the same, which finds data of another line, another sector or another
// request.

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "models/rtl/interfaces/rtl_requests.h"
#include "models/rtl/rtl_port.h"

namespace heddle {

// Returns the 8 bytes from `address` on, the first in the lowest bits.
std::uint64_t data_at(Address address);

// Drives the data of a beat whose first byte has this address. The call does nothing if no pin is connected
// to the signal.
void drive_data(RtlPort& port, RtlSignalId data, Address address);

// Drives a bit for each byte of the beat: 1 for the bytes that the transfer writes. The call does nothing if
// no pin is connected to the signal.
void drive_enables(RtlPort& port, RtlSignalId enables, const RtlTransfer& transfer, Address beat);

// A difference of 8 bytes or fewer.
struct WrongData {
  Address address = 0;
  std::uint64_t expected = 0;
  std::uint64_t got = 0;
};
// A DataBeat has the data of one beat in words of 64 bits. The first word has the lowest bits.
struct DataBeat {
  std::array<std::uint64_t, kLineBytes / 8> words{};
  std::uint32_t bits = 0;
};
DataBeat read_beat(const RtlPort& port, RtlSignalId data);
// Compares those bytes of a beat for which `is_wanted` holds. `address` is that of its first byte.
std::optional<WrongData> wrong_data(const DataBeat& beat, Address address,
                                    const std::function<bool(Address)>& is_wanted);

}  // namespace heddle
