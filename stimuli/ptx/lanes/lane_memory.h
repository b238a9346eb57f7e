#pragma once
// Loads and stores of one element by the lanes of a warp.

#include <cstddef>
#include <cstdint>

#include "models/core/base/ids.h"
#include "stimuli/ptx/text/type.h"

namespace heddle::ptx {

// Lane i's element lies at data + (addresses[i] - first). Inactive lanes' addresses may be read, too.
struct LanePlaces {
  std::byte* data = nullptr;
  Address first = 0;
  const Address* addresses = nullptr;
};

// `row`: 32 values of 32 bits, or of 64 where the function is for a wide register.
using LoadLanes = void (*)(const LanePlaces& places, std::uint32_t active, void* row);
using StoreLanes = void (*)(const LanePlaces& places, std::uint32_t active, const void* row);

// Extended to the register's width by the sign of a signed type, else by zeros.
LoadLanes load_lanes(Type type, Type register_type);
StoreLanes store_lanes(Type type, bool wide_row);

// The register's lanes plus the offset. Inactive lanes take the address of the lowest active one.
void add_wide(const void* row, std::uint64_t offset, std::uint32_t active, Address* addresses);
// ... modulo 2^32, from a row of either width.
void add_narrow(const void* row, bool wide, std::uint64_t offset, std::uint32_t active, Address* addresses);
void set_all(Address address, Address* addresses);

// Whether all addresses are multiples of `alignment`, a power of two, and lie in [first, first + room].
bool all_within(const Address* addresses, Address first, std::uint64_t room, std::uint64_t alignment);

}  // namespace heddle::ptx
