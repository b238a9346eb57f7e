#pragma once
// An instruction as it is executed: what to do, and in which rows of a warp's storage its operands lie. A row
// holds a value of each lane, a predicate's is one word.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/lanes/lane_arithmetic.h"
#include "stimuli/ptx/lanes/lane_atomic.h"
#include "stimuli/ptx/lanes/lane_memory.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// What a row's offset, in bytes, counts from.
enum class RowBase : std::uint8_t { kFrame, kWarp, kConstant, kNull };
constexpr std::size_t kRowBases = 4;

struct Row {
  std::uint32_t offset = 0;
  RowBase base = RowBase::kNull;  // kNull: an operand that is not there
  bool wide = false;              // 64 bits a lane
};

struct Step {
  enum class Kind : std::uint8_t {
    kLanes,    // `lanes` does it
    kNothing,  // of performance or order only
    kLoad,
    kStore,
    kAtomic,
    kBranch,
    kCall,
    kReturn,
    kExit,
    kTrap,
    kBarrier,
    kShuffle,
    kVote,
    kMatch,
    kActiveMask,
    kTexture,
    kSurfaceStore,
    kAddWindow,   // cvta: a window's start is added, or with `to` taken away
    kIsInWindow,  // isspacep
  };
  static constexpr std::uint32_t kUnguarded = ~std::uint32_t{0};

  Kind kind = Kind::kNothing;
  bool guard_negated = false;
  bool reads_clock = false;
  bool negated = false;  // the predicate that it reads, of vote and bar.red
  std::uint8_t destinations = 0;
  std::uint8_t sources = 0;
  std::uint32_t guard = kUnguarded;  // offset in the frame
  std::uint32_t index = 0;           // of EntryCode: accesses of memory, calls of calls
  std::uint32_t target = 0;          // branch: step; call: function
  std::uint32_t reconvergence = 0;
  std::array<Row, 5> destination;  // of memory and textures: the elements
  std::array<Row, 5> source;       // of memory: the address, then elements; of textures: coordinates
  LaneOperation lanes;
  const Statement* statement = nullptr;
};

// Of kLoad, kStore, kAtomic.
struct Access {
  Space space = Space::kGlobal;
  std::uint8_t bytes = 4;           // of an element
  std::uint8_t width = 1;           // elements
  bool uniform = false;             // a parameter of the launch at `offset`
  bool frame_relative = false;      // local: `offset` is from the start of the call's memory
  std::uint64_t offset = 0;         // added to the address, or the address where it has no row
  std::array<LoadLanes, 4> load{};  // by element: their registers may differ in width
  std::array<StoreLanes, 4> store{};
  AtomicLanes atomic = nullptr;
  AtomicLanes shared_atomic = nullptr;
  // A generic access as the SM sees it, once it is known where it goes.
  std::array<Instruction, 3> resolved;  // in global, shared, local memory
};

// Of one call's local memory in its thread's: what lies behind is aligned for every access.
inline std::uint64_t local_frame_bytes(const Function& function) {
  constexpr std::uint64_t kAlignment = 16;
  return (std::uint64_t{function.local_bytes} + kAlignment - 1) / kAlignment * kAlignment;
}

// Of kCall.
struct CallSite {
  struct Argument {
    Row row;               // of a register or a number
    bool in_area = false;  // else bytes of the caller's parameter area at `offset`
    std::uint32_t offset = 0;
    std::uint32_t callee = 0;  // where they lie in that of the callee
    std::uint32_t bytes = 0;
  };
  std::vector<Argument> arguments;
  std::vector<Argument> results;
};

}  // namespace heddle::ptx
