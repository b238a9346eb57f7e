#pragma once
// Loads and stores one element for each lane of a warp.

#include <cstddef>
#include <cstdint>

#include "models/core/base/ids.h"
#include "stimuli/ptx/statements/type.h"

namespace heddle::ptx {

// Lane i's element lies at data + (addresses[i] - first). The addresses of inactive lanes may be read.
struct LanePlaces {
  std::byte* data = nullptr;
  Address first = 0;
  const Address* addresses = nullptr;
};

// `row` holds 32 values of 32 bits, or of 64 bits if the function is for a wide register.
using LoadLanes = void (*)(const LanePlaces& places, std::uint32_t active, void* row);
using StoreLanes = void (*)(const LanePlaces& places, std::uint32_t active, const void* row);

// Loads extend values to the register's width by the sign of a signed type, else by zeros.
LoadLanes load_lanes(Type type, Type register_type);
StoreLanes store_lanes(Type type, bool wide_row);

// Sets the addresses to the register's lanes plus the offset. Inactive lanes get the address of the lowest
// active lane.
void add_wide(const void* row, std::uint64_t offset, std::uint32_t active, Address* addresses);
// Does the same modulo 2^32, from a row of either width.
void add_narrow(const void* row, bool wide, std::uint64_t offset, std::uint32_t active, Address* addresses);
void set_all(Address address, Address* addresses);

// Whether all addresses are multiples of `alignment`, which is a power of two, and lie in [first, first +
// room].
bool all_within(const Address* addresses, Address first, std::uint64_t room, std::uint64_t alignment);

}  // namespace heddle::ptx
