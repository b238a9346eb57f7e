#pragma once
// From the lanes' addresses to what the memory system sees. Pure functions.

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/core/link/memory_request.h"

namespace heddle {

constexpr std::uint32_t kMostAccesses = 2 * kLanes;  // every lane may straddle two lines

using ByteMask = std::array<std::uint64_t, 2>;  // a bit per byte of a line

using SectorLanes = std::array<std::uint8_t, kLineBytes / kSectorBytes>;

// One line's share of a memory instruction.
struct LineAccess {
  Address line = 0;          // aligned to kLineBytes
  std::uint8_t sectors = 0;  // bit i: bytes 32 i .. 32 i + 31 are touched
  // By sector: lanes whose first byte in this line lies there. A lane's bytes are never parted by a sector
  // that is not touched.
  SectorLanes lanes{};
  bool partial = false;  // stores: some byte of a touched sector is not written
  ByteMask written{};    // stores
};

struct Coalesced {
  std::uint32_t count = 0;
  std::array<LineAccess, kMostAccesses> access;  // in order of the first lane that touches the line
};

using Addresses = std::array<Address, kLanes>;  // by lane

// Lanes that touch the same line of 128 bytes share one access. `lanes`: a bit for each that takes part;
// size: bytes of each, 1 or more.
void coalesce(const Addresses& addresses, std::uint32_t lanes, std::uint32_t size, bool store,
              Coalesced& result);

constexpr std::uint32_t kMostBanks = 64;

// How many passes shared memory makes: the most different words of one bank that lanes ask for. Lanes that
// read the same word share it; atomics on the same word do not. At least 1.
std::uint32_t shared_passes(const IssuedInstruction& issued, std::uint32_t banks, bool atomic);

}  // namespace heddle
