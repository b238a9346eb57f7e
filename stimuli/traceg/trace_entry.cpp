#include "stimuli/traceg/trace_entry.h"

#include <cstring>

namespace heddle {

namespace {

template <class T>
void put(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T take(const std::byte*& bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  bytes += sizeof value;
  return value;
}

std::uint32_t lowest_lane(std::uint32_t mask) {
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

const std::byte* expand_stride(std::uint32_t mask, const std::byte* bytes,
                               std::array<Address, kLanes>& addresses) {
  const auto base = take<Address>(bytes);
  const auto stride = static_cast<Address>(std::int64_t{take<std::int32_t>(bytes)});
  const Address start = base - stride * lowest_lane(mask);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = start + stride * lane;
  return bytes;
}

const std::byte* expand_deltas(std::uint32_t mask, const std::byte* bytes,
                               std::array<Address, kLanes>& addresses) {
  auto address = take<Address>(bytes);
  addresses[lowest_lane(mask)] = address;
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
    address += static_cast<Address>(std::int64_t{take<std::int32_t>(bytes)});
    addresses[lowest_lane(mask)] = address;
  }
  return bytes;
}

}  // namespace

void LaneAddresses::move_down(Address by) {
  base -= by;
  least -= by;
  most -= by;
  for (Address& address : list) address -= by;
}

void append(std::vector<std::byte>& bytes, const LaneAddresses& addresses) {
  switch (addresses.form) {
    case AddressForm::kNone:
      break;
    case AddressForm::kStride:
      put(bytes, addresses.base);
      put(bytes, addresses.stride);
      break;
    case AddressForm::kDeltas:
      put(bytes, addresses.base);
      for (std::uint32_t i = 0; i + 1 < addresses.count; ++i)
        put(bytes, static_cast<std::int32_t>(addresses.deltas[i]));
      break;
    case AddressForm::kList:
      for (std::uint32_t i = 0; i < addresses.count; ++i) put(bytes, addresses.list[i]);
      break;
  }
}

const std::byte* expand(TraceEntry entry, const std::byte* bytes, std::array<Address, kLanes>& addresses) {
  switch (entry.form()) {
    case AddressForm::kNone:
      return bytes;
    case AddressForm::kStride:
      return expand_stride(entry.mask(), bytes, addresses);
    case AddressForm::kDeltas:
      return expand_deltas(entry.mask(), bytes, addresses);
    case AddressForm::kList:
      break;
  }
  for (std::uint32_t mask = entry.mask(); mask != 0; mask &= mask - 1)
    addresses[lowest_lane(mask)] = take<Address>(bytes);
  return bytes;
}

}  // namespace heddle
