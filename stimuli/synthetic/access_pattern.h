#pragma once
// This file computes the addresses of a synthetic memory instruction. They depend on lane, warp, block, visit
// and the kernel's seed alone. The visit of a warp is the number of times that it executed the instruction
// before.

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/link/memory_request.h"

namespace heddle {

enum class Pattern : std::uint8_t {
  kStream,      // accesses every element once; elements are `stride` bytes apart
  kRandom,      // draws `lines` distinct lines of the set in each visit
  kWorkingSet,  // goes through a set in a circle, `lines` lines in each visit
  kPerBlock,    // goes through the tiles of the block and reads each tile `times` times
  kUniform,     // accesses one element with all lanes, and the next element in the next visit
  kScatter,     // draws one of the first `addresses` elements for each lane
  kShared,      // accesses `conflicts` words of one bank; a row is 32 banks x 4 bytes
  kLocal,       // accesses the same offset in the local memory of each thread
};

// A Sharing states whether each warp, each block or the whole kernel goes through a contiguous part or a set
// of its own.
enum class Sharing : std::uint8_t { kWarp, kBlock, kKernel };

struct AccessPattern {
  Pattern pattern = Pattern::kStream;
  Sharing per = Sharing::kBlock;
  Address base = 0;
  std::uint64_t size = 0;       // bytes from `base` on; every access lies within them
  std::uint32_t bytes = 4;      // of the element that a lane accesses; a power of two
  std::uint64_t stride = 4;     // kStream
  std::uint64_t set = 0;        // bytes, whole lines, of a set or a tile; kLocal: bytes per thread
  std::uint32_t lines = 1;      // lines that a warp touches, 1 .. 32 and at most the lines of the set
  std::uint64_t times = 1;      // kPerBlock: reads of each tile
  std::uint64_t addresses = 1;  // kScatter: elements
  std::uint32_t conflicts = 1;  // kShared, 1 .. 32
  std::uint64_t visits = 1;     // the most visits of one warp
};

// A WarpPlace names one warp of a launch.
struct WarpPlace {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;  // number in its block
};

// An AddressGenerator computes the addresses of one access. Its constructor computes what does not
// depend on the warp.
class AddressGenerator {
 public:
  // `number` differs between the accesses of a kernel, so that each access has its own random draws.
  AddressGenerator(const AccessPattern& access, std::uint64_t blocks, std::uint32_t threads,
                   std::uint64_t seed, std::uint64_t number);

  // Fills the addresses of all 32 lanes, inactive lanes included.
  void generate(WarpPlace place, std::uint64_t visit, std::array<Address, kLanes>& addresses) const;

 private:
  void stream(WarpPlace place, std::uint64_t visit, std::array<Address, kLanes>& addresses) const;
  void lines(WarpPlace place, std::uint64_t visit, std::array<Address, kLanes>& addresses) const;
  std::uint64_t which_set(WarpPlace place) const;
  std::uint64_t key(WarpPlace place, std::uint64_t visit) const;

  AccessPattern access_;
  std::uint64_t blocks_;
  std::uint32_t threads_;
  std::uint32_t warps_;  // per block
  std::uint64_t seed_;
  std::uint64_t elements_ = 1;        // kStream, kUniform
  std::uint64_t set_lines_ = 1;       // lines of a set or a tile
  std::uint64_t sets_ = 1;            // sets or tiles that fit `size`
  std::uint64_t turns_per_tile_ = 1;  // kPerBlock: visits of all warps that read a tile once
  std::uint64_t tiles_per_block_ = 1;
  std::array<std::uint8_t, kLanes> group_{};    // by lane: index of its line among those of the warp
  std::array<std::uint16_t, kLanes> offset_{};  // by lane: bytes in its line; kShared: from the first row
  std::array<std::uint64_t, kLanes + 1> stratum_{};  // kRandom, by line: the first line of its draw
};

// Returns the finalizer of SplitMix64 applied to z (models/core/base/random.h).
inline std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Returns a pseudo-random number of 64 bits that depends on each of the arguments.
inline std::uint64_t draw(std::uint64_t seed, std::uint64_t block, std::uint64_t warp, std::uint64_t visit) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  return scramble(scramble(scramble(seed + kStep * (block + 1)) + kStep * (warp + 1)) + kStep * (visit + 1));
}

// Maps 32 random bits to 0 .. bound - 1. `bound` is at most 2^32.
inline std::uint64_t scale(std::uint32_t drawn, std::uint64_t bound) {
  return (drawn * bound) >> 32;
}

// Maps the upper 32 bits of a draw to 0 .. bound - 1. `bound` is at most 2^32.
inline std::uint64_t below(std::uint64_t drawn, std::uint64_t bound) {
  return scale(static_cast<std::uint32_t>(drawn >> 32), bound);
}

}  // namespace heddle
