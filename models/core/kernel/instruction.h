#pragma once
// This file has what warps of a cycle SM execute: static instructions and the streams that they come from.
// Synthetic kernels, traces and executed programs implement the same interfaces. Pure logic.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/bank_counts.h"
#include "models/core/base/ids.h"

namespace heddle {

constexpr std::uint32_t kLanes = 32;  // of a warp

// An operation determines an instruction's timing: a platform gives each operation a unit, a latency and an
// initiation interval. Executed and synthetic programs use the detailed operations; traces use one operation
// for each class. instruction.cpp has the name and the default of each.
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
  kDoubleReciprocal,
  kSfu,
  kFloatDivApprox,  // a reciprocal of the special function unit, and a product
  kMove,            // moves, comparisons, selections, shifts, logic
  kConvert,         // between types, of any width
  kBranch,
  kTraceInt,  // integer, moves and branches of a trace
  kTraceSp,
  kTraceDp,
  kTraceSfu,
  kTraceTensor,
  kTensor,        // a product of matrices; wider products repeat it (Instruction::repeats)
  kTensorDouble,  // the same of f64
  kLoad,
  kStore,
  kAtomic,
  kBarrier,  // the warp waits for warps of its block
  kFence,    // the warp waits until its stores have been answered
  kNop,
  kCopyCommit,  // the open group of asynchronous copies is closed, and another one opens
  kCopyWait,    // the warp waits for asynchronous copies (Instruction::copy_groups)
  kPhase,       // a phase specifier: the warp starts a phase (KernelProgram::phases)
  kExit,
};
constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::kExit) + 1;
const char* name_of(Operation operation);  // the name in platform and kernel files: "int_add"

// The operation whose unit, latency and interval this one has on a platform that does not state its own;
// itself where a platform must.
Operation costs_as(Operation operation);

inline bool is_memory(Operation operation) {
  return operation == Operation::kLoad || operation == Operation::kStore || operation == Operation::kAtomic;
}

// kSwap is the swap space of an SM (decision `resource_manager`), and kSaved that of saved blocks (decision
// `preemption`). No program accesses them.
enum class MemorySpace : std::uint8_t { kNone, kGlobal, kLocal, kShared, kConstant, kTexture, kSwap, kSaved };

constexpr std::uint32_t kMostIntervalRepeats = 4;  // of an instruction's initiation interval

using RegisterId = std::uint16_t;  // 0 .. kRegisterNames - 1; zero registers are left out of an instruction
constexpr std::uint32_t kRegisterNames = 1024;
constexpr RegisterId kFirstPredicateName = 960;  // names from here on may be predicates

// An Instruction is one instruction of a kernel's code. It is immutable and lives as long as the kernel's
// program.
struct Instruction {
  static constexpr std::size_t kMostDestinations = 8;
  static constexpr std::size_t kMostSources = 28;

  std::uint32_t pc = 0;   // bytes from the start of the kernel's code
  std::uint8_t size = 8;  // bytes of code
  Operation operation = Operation::kNop;
  MemorySpace space = MemorySpace::kNone;
  std::uint8_t bytes = 0;     // memory: per lane, 1 .. 16
  bool bypass_l1 = false;     // memory: cached at L2 only (.cg, volatile)
  bool asynchronous = false;  // a load that no register waits for; it belongs to a group of copies
  // kCopyWait: the newest groups of copies, the open one among them, that the warp does not wait for.
  std::uint8_t copy_groups = 0;
  // kBarrier: the barrier's number, 0 .. 15; the number of warps at which it opens, 0 for all warps of the
  // block that have not ended; whether this warp continues without waiting.
  std::uint8_t barrier = 0;
  std::uint8_t barrier_warps = 0;
  bool arrives = false;
  // When this instruction issues, it changes what other thread blocks can read, such as device memory. SMs
  // issue such instructions one after another, in the order of the SMs.
  bool takes_turns = false;
  // An atomic of device memory whose lanes access one word, and of which compilers make one operation.
  bool mergeable = false;
  bool spills = false;  // it stores or loads a value that the registers of a thread have no room for

  // The initiation intervals that the instruction takes, 1 .. kMostIntervalRepeats. Its result is due as many
  // less one intervals later.
  std::uint8_t repeats = 1;

  // The registers that the instruction writes and reads. A register that it names twice is read once.
  std::uint8_t destinations = 0;
  std::uint8_t sources = 0;
  std::uint8_t phase = 0;  // kPhase: the phase that starts, an index of KernelProgram::phases()
  // The registers of the register file among them; predicates are held in no bank.
  std::uint8_t register_reads = 0;
  std::uint8_t register_writes = 0;
  std::uint8_t register_words = 0;  // elements of `register_word` in use
  BankCounts read_banks;            // reads by register number mod 32
  BankCounts written_banks;
  // The scoreboard reads the registers that the instruction names from these words. A word with the number n
  // has one bit for each of the registers 64 n to 64 n + 63. There is a word only for numbers of which a
  // register is named.
  struct RegisterWord {
    std::uint64_t named = 0;    // the instruction reads or writes the register
    std::uint64_t written = 0;  // of these, those that it writes
    std::uint32_t number = 0;
  };
  std::array<RegisterWord, kRegisterNames / 64> register_word{};
  std::array<RegisterId, kMostDestinations> destination{};
  std::array<RegisterId, kMostSources> source{};

  void writes(RegisterId id) {
    writes_predicate(id);
    ++register_writes;
    written_banks.add(id % kMostRegisterBanks);
  }
  void reads(RegisterId id) {
    if (std::find(source.begin(), source.begin() + sources, id) != source.begin() + sources) return;
    source[sources++] = id;
    ++register_reads;
    read_banks.add(id % kMostRegisterBanks);
    word_of(id);
  }

  // Predicates are tracked by the scoreboard and are held in no bank.
  void writes_predicate(RegisterId id) {
    destination[destinations++] = id;
    word_of(id).written |= std::uint64_t{1} << (id % 64);
  }
  void reads_predicate(RegisterId id) {
    source[sources++] = id;
    word_of(id);
  }

 private:
  // Returns the word of the register after the register has been named in it.
  RegisterWord& word_of(RegisterId id) {
    std::size_t i = 0;
    while (i < register_words && register_word[i].number != id / 64) ++i;
    if (i == register_words) register_word[register_words++] = {0, 0, id / 64u};
    register_word[i].named |= std::uint64_t{1} << (id % 64);
    return register_word[i];
  }
};

// An IssuedInstruction is the result of issuing an instruction.
struct IssuedInstruction {
  Cycle now;  // set by the caller: the time of the issue, which clock registers read
  // The instruction that peek() showed. A barrier whose operands are known only at issue is a new instruction
  // with them.
  const Instruction* code = nullptr;
  std::uint32_t mask = 0;   // the active lanes; there may be none
  bool redirected = false;  // a branch was taken: instructions that were fetched after it are dropped
  bool ended = false;       // it was the last instruction of the warp
  // The byte address by lane of a memory instruction, valid for the lanes of `mask`. Global, constant and
  // texture addresses are virtual. Shared addresses count from the start of the block's shared memory, local
  // ones from the start of the thread's local memory.
  std::array<Address, kLanes> addresses{};
};

// A BlockStream has the instructions of one resident thread block, by warp. Warps are numbered from 0 in the
// block.
class BlockStream {
 public:
  virtual ~BlockStream() = default;

  // Returns the instruction `ahead` places (0, 1, ...) after the next one that the warp issues, in straight
  // line as fetch finds it; null past its last one. The call changes nothing.
  virtual const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) = 0;

  // Issues the warp's next instruction, which is peek(warp, 0) and not null. It fills all of `issued` except
  // `now` and the addresses of inactive lanes. Blocks may issue at the same time on several threads of
  // the host, but while one issues an instruction that takes turns, no other block issues.
  virtual void issue(std::uint32_t warp, IssuedInstruction& issued) = 0;
};

// PhaseNeeds is the most that is live at once in a phase.
struct PhaseNeeds {
  std::uint32_t registers_per_thread = 0;  // 32-bit registers
  std::uint32_t shared_bytes = 0;          // of the block
};
constexpr std::size_t kMostPhases = 256;  // of a kernel; Instruction::phase has 8 bits

// A KernelProgram is the code and data of one launched kernel. Each block is started once, approximately in
// order of the block numbers, and once again after each time that it was dropped.
class KernelProgram {
 public:
  virtual ~KernelProgram() = default;

  // Throws std::runtime_error with file and line if an error in the kernel's source shows only now.
  virtual BlockStream& start(BlockId block) = 0;
  virtual void finish(BlockStream& stream) = 0;  // The block has ended, and the program may reuse the stream.
  // The block has been stopped, and starts over later. The program may reuse the stream.
  virtual void drop(BlockStream& stream, BlockId /*block*/) { finish(stream); }

  // Returns what each phase needs. Every warp starts in phase 0, which no instruction starts. No phase needs
  // more than the launch states. An empty vector is one phase, which needs what the launch states. Only a
  // program that was opened with phases has any; without them it has no kPhase instruction either.
  virtual const std::vector<PhaseNeeds>& phases() const;

  // Whether any of its instructions takes turns.
  virtual bool takes_turns() const { return false; }

  // The next four functions tell a kernel that never ends from one that takes long. A program of which
  // nothing is known has none of them. They are called while no block issues.
  //
  // watch(true) begins a watch over the blocks that have started, and ends the watch before; watch(false)
  // ends it. Under a watch changes() counts every time at which a block has changed memory. is_stuck() says
  // whether there are such blocks, and each of their warps waits at a barrier, or has come back under this
  // watch to a state in which it was before: if memory has not changed since the watch began, no such warp
  // ever ends.
  virtual void watch(bool /*is_watched*/) {}
  virtual std::uint64_t changes() const { return 0; }
  virtual bool is_stuck() const { return false; }
  // Returns where the warps are of the blocks that have started and not ended, for people who look for a
  // fault: a line for several warps at the same place, and at most kMostPlaces lines. Each line follows a
  // line feed. Empty: it is not known.
  virtual std::string places() const { return ""; }
  static constexpr std::size_t kMostPlaces = 12;
};

}  // namespace heddle
