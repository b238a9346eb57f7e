#include "stimuli/traceg/trace_entry.h"

#include <cstring>

namespace heddle {

namespace {

// Stored addresses are put together here before they are appended as one piece.
class Stored {
 public:
  template <class T>
  void put(T value) {
    std::memcpy(&bytes_[size_], &value, sizeof value);
    size_ += sizeof value;
  }
  void append_to(std::vector<std::byte>& bytes) const {
    bytes.insert(bytes.end(), bytes_.begin(), bytes_.begin() + size_);
  }

 private:
  std::array<std::byte, sizeof(Address) + sizeof(std::int32_t) * kLanes> bytes_;
  std::uint32_t size_ = 0;
};

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
  Address next = base - stride * lowest_lane(mask);
  for (Address& address : addresses) {
    address = next;
    next += stride;
  }
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

std::size_t address_bytes(TraceEntry entry) {
  const auto lanes = static_cast<std::size_t>(__builtin_popcount(entry.mask()));
  switch (entry.form()) {
    case AddressForm::kNone:
      return 0;
    case AddressForm::kStride:
      return sizeof(Address) + sizeof(std::int32_t);
    case AddressForm::kDeltas:
      return sizeof(Address) + sizeof(std::int32_t) * (lanes - 1);
    case AddressForm::kList:
      break;
  }
  return sizeof(Address) * lanes;
}

bool LaneAddresses::within(Address begin, Address bytes) const {
  if (form == AddressForm::kStride) return base - begin < bytes && last - begin < bytes;
  Address distances = 0;
  for (std::uint32_t i = 0; i < count; ++i) distances |= list[i] - begin;
  return distances < bytes;
}

void LaneAddresses::keep_first(std::uint32_t lanes) {
  count = lanes;
  if (count == 0) form = AddressForm::kNone;
  if (form == AddressForm::kStride)
    last = base + static_cast<Address>(std::int64_t{stride} * (std::int64_t{count} - 1));
}

void LaneAddresses::move_down(Address by) {
  base -= by;
  if (form != AddressForm::kList) return;
  for (Address& address : list) address -= by;
}

void append(std::vector<std::byte>& bytes, const LaneAddresses& addresses) {
  Stored stored;
  switch (addresses.form) {
    case AddressForm::kNone:
      return;
    case AddressForm::kStride:
      stored.put(addresses.base);
      stored.put(addresses.stride);
      break;
    case AddressForm::kDeltas:
      stored.put(addresses.base);
      for (std::uint32_t i = 0; i + 1 < addresses.count; ++i)
        stored.put(static_cast<std::int32_t>(addresses.deltas[i]));
      break;
    case AddressForm::kList: {
      const auto* list = reinterpret_cast<const std::byte*>(addresses.list.data());
      bytes.insert(bytes.end(), list, list + sizeof(Address) * addresses.count);
      return;
    }
  }
  stored.append_to(bytes);
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
  if (entry.mask() == ~std::uint32_t{0}) {
    std::memcpy(addresses.data(), bytes, sizeof addresses);
    return bytes + sizeof addresses;
  }
  for (std::uint32_t mask = entry.mask(); mask != 0; mask &= mask - 1)
    addresses[lowest_lane(mask)] = take<Address>(bytes);
  return bytes;
}

}  // namespace heddle
