#pragma once
// What warps execute, as a cycle SM sees it: static instructions and the streams they come from. Pure logic;
// synthetic kernels, traces and executed programs all look like this.

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/core/base/bank_counts.h"
#include "models/core/base/ids.h"

namespace heddle {

constexpr std::uint32_t kLanes = 32;  // of a warp

// What an instruction does, as far as its timing goes. A platform gives each a unit, a latency and an
// initiation interval; instruction.cpp has each one's name and default. Executed and synthetic programs use
// the fine operations; traces one per class.
enum class Operation : std::uint8_t {
  kIntAdd,
  kIntMax,
  kIntMul,
  kIntMad,
  kIntDiv,
  kShuffle,
  kFloatAdd,
  kFloatMax,
  kFloatMul,
  kFloatFma,
  kFloatDiv,
  kDouble,
  kDoubleDiv,
  kSfu,
  kMove,  // moves, conversions, comparisons, selections, shifts, logic
  kBranch,
  kTraceInt,  // integer, moves and branches of a trace
  kTraceSp,
  kTraceDp,
  kTraceSfu,
  kTraceTensor,
  kLoad,
  kStore,
  kAtomic,
  kBarrier,  // waits for warps of the block
  kFence,    // waits until the warp's stores have been answered
  kNop,
  kExit,
};
constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::kExit) + 1;
const char* name_of(Operation operation);  // as platforms and kernels spell it: "int_add"

// The operation whose unit, latency and interval this one has on a platform that does not state its own;
// itself where a platform must.
Operation costs_as(Operation operation);

inline bool is_memory(Operation operation) {
  return operation == Operation::kLoad || operation == Operation::kStore || operation == Operation::kAtomic;
}

enum class MemorySpace : std::uint8_t { kNone, kGlobal, kLocal, kShared, kConstant, kTexture };

using RegisterId = std::uint16_t;  // 0 .. kRegisterNames - 1; zero registers are left out of an instruction
constexpr std::uint32_t kRegisterNames = 1024;

// One instruction of a kernel's code. Immutable, and it lives as long as its kernel's program.
struct Instruction {
  static constexpr std::size_t kMostDestinations = 4;
  static constexpr std::size_t kMostSources = 8;

  std::uint32_t pc = 0;   // bytes from the start of the kernel's code
  std::uint8_t size = 8;  // bytes of code
  Operation operation = Operation::kNop;
  MemorySpace space = MemorySpace::kNone;
  std::uint8_t bytes = 0;  // memory: per lane, 1 .. 16
  bool bypass_l1 = false;  // memory: cached at L2 only (.cg, volatile)
  // kBarrier: its number, 0 .. 15; how many warps it opens for, 0 for all of the block that have not ended;
  // whether this one goes on without waiting.
  std::uint8_t barrier = 0;
  std::uint8_t barrier_warps = 0;
  bool arrives = false;

  // Registers it writes and reads. A register read twice is read twice.
  std::uint8_t destinations = 0;
  std::uint8_t sources = 0;
  bool only_low = true;         // all of them are below 64, and
  std::uint64_t registers = 0;  // bit r: register r is one of them; the low ones alone
  BankCounts read_banks;        // of 32 banks, by register number alone
  BankCounts written_banks;
  std::array<RegisterId, kMostDestinations> destination{};
  std::array<RegisterId, kMostSources> source{};

  void writes(RegisterId id) {
    destination[destinations++] = id;
    written_banks.add(id % kMostRegisterBanks);
    note(id);
  }
  void reads(RegisterId id) {
    source[sources++] = id;
    read_banks.add(id % kMostRegisterBanks);
    note(id);
  }

  // What the scoreboard watches and no bank holds: predicates.
  void writes_predicate(RegisterId id) {
    destination[destinations++] = id;
    note(id);
  }
  void reads_predicate(RegisterId id) {
    source[sources++] = id;
    note(id);
  }

 private:
  void note(RegisterId id) {
    if (id < 64)
      registers |= std::uint64_t{1} << id;
    else
      only_low = false;
  }
};

// What came of issuing an instruction.
struct IssuedInstruction {
  // What peek() showed; of a barrier whose numbers are known only now, what it has become.
  const Instruction* code = nullptr;
  std::uint32_t mask = 0;   // lanes that take part; may be empty
  bool redirected = false;  // a taken branch: what was fetched after it is dropped
  bool ended = false;       // it was the warp's last
  // Memory instructions: byte address by lane, set where `mask` is. Global, constant, texture: virtual.
  // Shared: from the start of the block's share. Local: from the start of the thread's local memory.
  std::array<Address, kLanes> addresses{};
};

// The instructions of one resident thread block, warp by warp. Warps are numbered from 0 in the block.
class BlockStream {
 public:
  virtual ~BlockStream() = default;

  // The instruction `ahead` places (0, 1, ...) after the next one the warp will issue, as fetch finds it in
  // straight line; null past its last one. Issuing moves on; asking changes nothing.
  virtual const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) = 0;

  // Issues the warp's next instruction (peek(warp, 0), not null) and fills all of `issued` but the addresses
  // of lanes that take no part.
  virtual void issue(std::uint32_t warp, IssuedInstruction& issued) = 0;
};

// One kernel's code and data, as launched. Blocks may be started in any order within a short distance of the
// order of their numbers, and each once.
class KernelProgram {
 public:
  virtual ~KernelProgram() = default;

  // Throws std::runtime_error with file and line where its source is found broken only now.
  virtual BlockStream& start(BlockId block) = 0;
  virtual void finish(BlockStream& stream) = 0;  // the block has ended; its stream may be used again
};

}  // namespace heddle
