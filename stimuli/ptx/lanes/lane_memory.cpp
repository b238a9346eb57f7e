#include "stimuli/ptx/lanes/lane_memory.h"

#include <cstring>

#include "stimuli/ptx/lanes/lane_arithmetic.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kHalf = 0xffff;

template <typename Function>
[[gnu::always_inline]] inline void each_active(std::uint32_t active, Function function) {
  if (active == kEveryLane) {
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) function(lane);
  } else {
    for (; active != 0; active &= active - 1) function(static_cast<std::size_t>(__builtin_ctz(active)));
  }
}

// kMask selects the bits of the register that the load sets.
template <typename Value, typename Register, Register kMask>
void load(const LanePlaces& places, std::uint32_t active, void* row) {
  auto* const to = static_cast<Register*>(row);
  const LanePlaces at = places;
  each_active(active, [=](std::size_t lane) {
    Value value;
    std::memcpy(&value, at.data + (at.addresses[lane] - at.first), sizeof(value));
    to[lane] = static_cast<Register>(value) & kMask;
  });
}

template <typename Value, typename Register>
void store(const LanePlaces& places, std::uint32_t active, const void* row) {
  const auto* const from = static_cast<const Register*>(row);
  const LanePlaces at = places;
  each_active(active, [=](std::size_t lane) {
    const auto value = static_cast<Value>(from[lane]);
    std::memcpy(at.data + (at.addresses[lane] - at.first), &value, sizeof(value));
  });
}

template <typename Value>
LoadLanes load_into(Type register_type) {
  const std::uint32_t bits = bits_of(register_type);
  if (bits == 64) return load<Value, std::uint64_t, ~std::uint64_t{0}>;
  if (bits == 16) return load<Value, std::uint32_t, kHalf>;
  return load<Value, std::uint32_t, ~std::uint32_t{0}>;
}

}  // namespace

LoadLanes load_lanes(Type type, Type register_type) {
  const bool extends = is_signed(type);
  switch (bytes_of(type)) {
    case 1:
      return extends ? load_into<std::int8_t>(register_type) : load_into<std::uint8_t>(register_type);
    case 2:
      return extends ? load_into<std::int16_t>(register_type) : load_into<std::uint16_t>(register_type);
    case 4:
      return extends ? load_into<std::int32_t>(register_type) : load_into<std::uint32_t>(register_type);
    default:
      return load_into<std::uint64_t>(register_type);
  }
}

StoreLanes store_lanes(Type type, bool wide_row) {
  switch (bytes_of(type)) {
    case 1:
      return wide_row ? store<std::uint8_t, std::uint64_t> : store<std::uint8_t, std::uint32_t>;
    case 2:
      return wide_row ? store<std::uint16_t, std::uint64_t> : store<std::uint16_t, std::uint32_t>;
    case 4:
      return wide_row ? store<std::uint32_t, std::uint64_t> : store<std::uint32_t, std::uint32_t>;
    default:
      return store<std::uint64_t, std::uint64_t>;
  }
}

void set_all(Address address, Address* addresses) {
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = address;
}

namespace {

// The function is compiled twice, and hosts with vectors of 256 bits use the second version.
template <typename Register>
[[gnu::always_inline]] inline void add(const void* row, std::uint64_t offset, std::uint64_t mask,
                                       Address* addresses) {
  const auto* const from = static_cast<const Register*>(row);
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = (from[lane] + offset) & mask;
}

[[gnu::always_inline]] inline bool within(const Address* addresses, Address first, std::uint64_t room,
                                          std::uint64_t alignment) {
  std::uint64_t outside = 0;
  std::uint64_t all = 0;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    outside |= static_cast<std::uint64_t>(addresses[lane] - first > room);
    all |= addresses[lane];
  }
  return outside == 0 && (all & (alignment - 1)) == 0;
}

struct Plain {
  template <typename Register>
  static void sum(const void* row, std::uint64_t offset, std::uint64_t mask, Address* addresses) {
    add<Register>(row, offset, mask, addresses);
  }
  static bool holds(const Address* addresses, Address first, std::uint64_t room, std::uint64_t alignment) {
    return within(addresses, first, room, alignment);
  }
};

#if defined(__x86_64__)
struct Fast {
  template <typename Register>
  [[gnu::target("avx2")]] static void sum(const void* row, std::uint64_t offset, std::uint64_t mask,
                                          Address* addresses) {
    add<Register>(row, offset, mask, addresses);
  }
  [[gnu::target("avx2")]] static bool holds(const Address* addresses, Address first, std::uint64_t room,
                                            std::uint64_t alignment) {
    return within(addresses, first, room, alignment);
  }
};
const bool kFast = __builtin_cpu_supports("avx2") != 0;
#else
using Fast = Plain;
constexpr bool kFast = false;
#endif

template <typename Register>
void sum(const void* row, std::uint64_t offset, std::uint64_t mask, Address* addresses) {
  if (kFast)
    Fast::sum<Register>(row, offset, mask, addresses);
  else
    Plain::sum<Register>(row, offset, mask, addresses);
}

// Gives the inactive lanes of a warp the address of the lowest active lane.
void spread_lowest(std::uint32_t active, Address* addresses) {
  const Address lowest = addresses[__builtin_ctz(active)];
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    addresses[lane] = (active >> lane & 1U) != 0 ? addresses[lane] : lowest;
}

}  // namespace

void add_wide(const void* row, std::uint64_t offset, std::uint32_t active, Address* addresses) {
  sum<std::uint64_t>(row, offset, ~std::uint64_t{0}, addresses);
  if (active != kEveryLane) spread_lowest(active, addresses);
}

void add_narrow(const void* row, bool wide, std::uint64_t offset, std::uint32_t active, Address* addresses) {
  constexpr std::uint64_t kMask = ~std::uint32_t{0};
  if (wide)
    sum<std::uint64_t>(row, offset, kMask, addresses);
  else
    sum<std::uint32_t>(row, offset, kMask, addresses);
  if (active != kEveryLane) spread_lowest(active, addresses);
}

bool all_within(const Address* addresses, Address first, std::uint64_t room, std::uint64_t alignment) {
  return kFast ? Fast::holds(addresses, first, room, alignment)
               : Plain::holds(addresses, first, room, alignment);
}

}  // namespace heddle::ptx
