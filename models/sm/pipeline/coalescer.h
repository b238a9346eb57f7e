#pragma once
// The coalescer turns the addresses of a warp's lanes into accesses of the memory system. Its functions are
// pure.

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/local_layout.h"
#include "models/core/link/memory_request.h"

namespace heddle {

constexpr std::uint32_t kMostAccesses = 4 * kLanes;  // each lane can touch the lines of four local words

using ByteMask = std::array<std::uint64_t, 2>;  // one bit for each byte of a line

using SectorLanes = std::array<std::uint8_t, kLineBytes / kSectorBytes>;

// A LineAccess is the part of a memory instruction that falls into one line.
struct LineAccess {
  Address line = 0;          // aligned to kLineBytes
  std::uint8_t sectors = 0;  // bit i: bytes 32 i .. 32 i + 31 are touched
  // For each sector, the number of lanes whose first byte in this line is in the sector. The sectors that one
  // lane touches are contiguous.
  SectorLanes lanes{};
  SectorLanes
      depth{};  // set by count_depths(): for each sector, the most of these lanes that access one word
  bool partial = false;  // stores: some byte of a touched sector is not written
  // The bytes that a store writes. If banks of L1 are modelled, a load has here the bytes that it reads,
  // unless its lanes read one contiguous run.
  ByteMask written{};
};

struct Coalesced {
  std::uint32_t count = 0;
  std::array<LineAccess, kMostAccesses> access;  // in order of the first lane that touches the line
};

using Addresses = std::array<Address, kLanes>;  // by lane

// Returns whether all lanes take part, their bytes are one contiguous run in lane order, and no lane's bytes
// cross a sector.
bool is_run(const Addresses& addresses, std::uint32_t lanes, std::uint32_t size);
// Does what coalesce() does for a run that begins at this address.
void coalesce_run(Address begin, std::uint32_t size, bool store, Coalesced& result);

// Fills `result` with one access for each line of 128 bytes that the lanes touch. `lanes` has a bit for each
// lane that takes part. Each of them accesses `size` bytes, 1 or more.
void coalesce(const Addresses& addresses, std::uint32_t lanes, std::uint32_t size, bool store,
              Coalesced& result);

// Sets the depths of the accesses that coalesce() has made for these lanes. Lanes access one word if their
// addresses are equal.
void count_depths(const Addresses& addresses, std::uint32_t lanes, Coalesced& result);

// Fills `result` with one access for each line of local memory that the lanes touch. `offsets` are bytes from
// the start of a thread's local memory. A word of all lanes is a line, so that an access of 8 bytes touches
// two lines and one of 16 bytes four if the lanes have the same offset. Accesses are aligned to their size.
void coalesce_local(const Addresses& offsets, std::uint32_t lanes, std::uint32_t size, bool store,
                    const LocalLayout& layout, std::uint32_t slot, Coalesced& result);

// Returns how many accesses from `first` on L1 serves in one cycle, 1 .. `most`: each of them reads other
// banks than those before it. A bank has 4 bytes of each line. An access whose LineAccess::written is empty
// is not served with those before it.
std::uint32_t lines_at_once(const Coalesced& lines, std::uint32_t first, std::uint32_t most);

// Returns how many accesses from `first` on can bypass L1 in one cycle, 1 .. `most`. Together they access at
// most as many sectors as a line has.
std::uint32_t lines_past_l1(const Coalesced& lines, std::uint32_t first, std::uint32_t most);

constexpr std::uint32_t kMostBanks = 64;

// Returns the number of passes over the banks of shared memory, at least 1: the largest number of different
// words that the lanes access in one bank. Lanes that access the same word share a pass, except for atomics.
std::uint32_t shared_passes(const IssuedInstruction& issued, std::uint32_t banks, bool atomic);

}  // namespace heddle
