#pragma once
// Where the lanes of a synthetic memory instruction go: a function of lane, warp, block, of how often the
// warp has been there before (its visit, 0, 1, ...), and of the kernel's seed. Nothing else.

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/link/memory_request.h"

namespace heddle {

enum class Pattern : std::uint8_t {
  kStream,      // every element once, `stride` bytes apart
  kRandom,      // `lines` distinct lines of the set, drawn anew each visit
  kWorkingSet,  // round and round a set, `lines` lines a visit
  kPerBlock,    // tile after tile of the block's own, each read `times` times
  kUniform,     // one element for all lanes, the next one each visit
  kScatter,     // each lane draws one of the first `addresses` elements
  kShared,      // `conflicts` words of one bank; rows of 32 banks x 4 B
  kLocal,       // the same offset in each thread's local memory
};

enum class Sharing : std::uint8_t { kWarp, kBlock, kKernel };  // who walks together

struct AccessPattern {
  Pattern pattern = Pattern::kStream;
  Sharing per = Sharing::kBlock;
  Address base = 0;
  std::uint64_t size = 0;       // bytes from base on that addresses stay within
  std::uint32_t bytes = 4;      // of an element, one a lane: a power of two
  std::uint64_t stride = 4;     // kStream
  std::uint64_t set = 0;        // bytes, whole lines: a set, or kPerBlock's tile; kLocal: bytes walked
  std::uint32_t lines = 1;      // 1 .. 32, at most the set's
  std::uint64_t times = 1;      // kPerBlock
  std::uint64_t addresses = 1;  // kScatter
  std::uint32_t conflicts = 1;  // kShared, 1 .. 32
  std::uint64_t visits = 1;     // most of one warp
};

// One warp of a launch.
struct WarpPlace {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;  // in its block
};

// A pattern with what can be computed before the kernel runs.
class AddressGenerator {
 public:
  // `number` tells the draws of one instruction from those of the others.
  AddressGenerator(const AccessPattern& access, std::uint64_t blocks, std::uint32_t threads,
                   std::uint64_t seed, std::uint64_t number);

  // Fills all lanes, those that take no part included.
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
  std::uint64_t set_lines_ = 1;       // of a set, or of a tile
  std::uint64_t sets_ = 1;            // that fit the size
  std::uint64_t turns_per_tile_ = 1;  // kPerBlock: visits of all warps that read a tile once
  std::uint64_t tiles_per_block_ = 1;
  std::array<std::uint8_t, kLanes> group_{};         // by lane: which of the lines
  std::array<std::uint16_t, kLanes> offset_{};       // by lane: in its line; kShared: from the first row
  std::array<std::uint64_t, kLanes + 1> stratum_{};  // kRandom: group g draws from stratum_[g] on
};

// One draw of many: the finalizer of SplitMix64 (models/core/base/random.h).
inline std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// A draw that depends on each of its arguments.
inline std::uint64_t draw(std::uint64_t seed, std::uint64_t block, std::uint64_t warp, std::uint64_t visit) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  return scramble(scramble(scramble(seed + kStep * (block + 1)) + kStep * (warp + 1)) + kStep * (visit + 1));
}

// 32 bits of a draw, mapped to 0 .. bound - 1; bound at most 2^32.
inline std::uint64_t scale(std::uint32_t drawn, std::uint64_t bound) {
  return (drawn * bound) >> 32;
}

inline std::uint64_t below(std::uint64_t drawn, std::uint64_t bound) {
  return scale(static_cast<std::uint32_t>(drawn >> 32), bound);
}

}  // namespace heddle
