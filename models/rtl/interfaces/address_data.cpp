#include "models/rtl/interfaces/address_data.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint32_t kPortBits = 64;

std::uint64_t lowest(std::uint64_t value, std::uint32_t bits) {
  return bits >= kPortBits ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

std::uint64_t data_at(Address address) {
  const Address word = address & ~Address{7};
  const auto shift = static_cast<std::uint32_t>(address & 7) * 8;
  return shift == 0 ? word : word >> shift | (word + 8) << (kPortBits - shift);
}

void drive_data(RtlPort& port, RtlSignalId data, Address address) {
  const std::uint32_t width = port.width(data);
  for (std::uint32_t low = 0; low < width; low += kPortBits) {
    const std::uint32_t bits = std::min(width - low, kPortBits);
    port.set_bits(data, low, bits, lowest(data_at(address + low / 8), bits));
  }
}

void drive_enables(RtlPort& port, RtlSignalId enables, const RtlTransfer& transfer, Address beat) {
  const std::uint32_t width = port.width(enables);
  for (std::uint32_t low = 0; low < width; low += kPortBits) {
    const std::uint32_t bits = std::min(width - low, kPortBits);
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; transfer.write && i < bits; ++i)
      value |= std::uint64_t{transfer.request.is_enabled(beat + low + i)} << i;
    port.set_bits(enables, low, bits, value);
  }
}

DataBeat read_beat(const RtlPort& port, RtlSignalId data) {
  DataBeat beat;
  beat.bits = std::min(port.width(data), kLineBytes * 8);
  for (std::uint32_t low = 0; low < beat.bits; low += kPortBits)
    beat.words[low / kPortBits] = port.bits(data, low, std::min(beat.bits - low, kPortBits));
  return beat;
}

std::optional<WrongData> wrong_data(const DataBeat& beat, Address address,
                                    const std::function<bool(Address)>& is_wanted) {
  for (std::uint32_t low = 0; low < beat.bits; low += kPortBits) {
    const std::uint32_t bits = std::min(beat.bits - low, kPortBits);
    const Address first = address + low / 8;
    const std::uint64_t got = beat.words[low / kPortBits];
    const std::uint64_t expected = lowest(data_at(first), bits);
    for (std::uint32_t byte = 0; got != expected && byte < bits / 8; ++byte)
      if (((got ^ expected) >> (byte * 8) & 0xff) != 0 && is_wanted(first + byte))
        return WrongData{first, expected, got};
  }
  return std::nullopt;
}

}  // namespace heddle
