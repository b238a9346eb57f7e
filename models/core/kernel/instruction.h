#pragma once
// This file has what warps of a cycle SM execute: static instructions and the streams that they come from.
// Synthetic kernels, traces and executed programs implement the same interfaces. Pure logic.

#include <array>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/bank_counts.h"
#include "models/core/base/ids.h"
#include "models/core/kernel/operation.h"

namespace heddle {

constexpr std::uint32_t kLanes = 32;  // of a warp

using RegisterId = std::uint16_t;  // 0 .. kRegisterNames - 1; zero registers are left out of an instruction
constexpr std::uint32_t kRegisterNames = 1024;
constexpr RegisterId kFirstPredicateName = 960;  // names from here on may be predicates
constexpr RegisterId kNoRegister = 0xffff;       // no register

// FirstSources has the first four registers that an instruction reads, and kNoRegister where there are fewer.
using FirstSources = std::array<RegisterId, 4>;
constexpr FirstSources kNoSources{kNoRegister, kNoRegister, kNoRegister, kNoRegister};

// The address of an operand in constant memory: bits 0 to 15 are the byte in the bank, the others the bank,
// as in c[BANK][BYTE].
using ConstantAddress = std::uint32_t;

// A RegisterWord says which of the 64 registers 64 n to 64 n + 63 an instruction names, where n is `number`.
// A bit stands for each register.
struct RegisterWord {
  std::uint64_t named = 0;    // the instruction reads or writes the register
  std::uint64_t written = 0;  // of these, those that it writes
  std::uint32_t number = 0;
};

// RegisterNames has what is rarely asked about the registers of an instruction. The copies of an instruction
// share it.
struct RegisterNames : boost::intrusive_ref_counter<RegisterNames> {
  std::vector<RegisterId> sources;
  std::vector<RegisterId> destinations;
  FirstSources first_sources = kNoSources;
  std::array<std::uint8_t, 2> reads{};   // of the register file, by register number mod 2
  std::vector<RegisterWord> more_words;  // all but the first one
  BankCounts written_banks;              // writes by register number mod 32
  std::vector<ConstantAddress> constants;
};

// The ControlBits are what compilers for Volta and later say about an instruction, because these SMs do not
// compare registers (Huerta et al., MICRO 2025, section 4). A warp has six counters. Where the bits are not
// known, SMs compare registers.
struct ControlBits {
  static constexpr std::size_t kCounters = 6;
  static constexpr std::uint8_t kNoCounter = 7;
  static constexpr std::uint32_t kLongStall = 45;  // cycles of a stall of 0 with yield

  ControlBits()
      : is_known(false),
        yields(false),
        stall(0),
        write_counter(kNoCounter),
        read_counter(kNoCounter),
        awaited(0),
        reuse(0) {}

  bool is_known : 1;
  bool yields : 1;         // the next cycle is another warp's
  std::uint8_t stall : 4;  // the warp issues again so many cycles later
  // One counter rises at the issue and falls when the result has been written, another one when the operands
  // have been read.
  std::uint8_t write_counter : 3;
  std::uint8_t read_counter : 3;
  std::uint8_t awaited : 6;  // a bit for each counter that must be zero before the instruction issues
  std::uint8_t reuse : 4;    // a bit for each operand that stays in the reuse cache
};

// An Instruction is one instruction of a kernel's code. It is immutable and lives as long as the kernel's
// program. An SM reads it at fetch, issue and writeback, and therefore it takes one line of the host's cache.
struct alignas(64) Instruction {
  // The most registers that an instruction names.
  static constexpr std::size_t kMostDestinations = 8;
  static constexpr std::size_t kMostSources = 28;

  Instruction()
      : bypass_l1(false),
        asynchronous(false),
        arrives(false),
        takes_turns(false),
        mergeable(false),
        spills(false),
        signals(false),
        awaits(false),
        reaches_cluster(false),
        uniform_address(false),
        has_more_words_(false),
        has_constants_(false) {}

  std::uint32_t pc = 0;  // bytes from the start of the kernel's code
  Operation operation = Operation::kNop;
  MemorySpace space = MemorySpace::kNone;
  std::uint8_t bytes = 0;  // memory: per lane, 1 .. 16
  // The initiation intervals that the instruction takes, 1 .. kMostIntervalRepeats, and 1 ..
  // kMostGroupRepeats of a kTensorGroup. Its result is due as many less one intervals later; that of a
  // kTensorGroup is due after the latency or after all of its intervals, whichever is later.
  std::uint8_t repeats = 1;
  // kCopyWait, kBulkWait, kBulkReadWait, kProductWait: the newest groups, the open one among them, that the
  // warp does not wait for.
  std::uint8_t copy_groups = 0;
  // kBarrier: the barrier's number, 0 .. 15, and the number of warps at which it opens, 0 for all warps of
  // the block that have not ended.
  std::uint8_t barrier = 0;
  std::uint8_t barrier_warps = 0;
  std::uint8_t phase = 0;  // kPhase: the phase that starts, an index of KernelProgram::phases()

  bool bypass_l1 : 1;     // memory: cached at L2 only (.cg, volatile)
  bool asynchronous : 1;  // a load that no register waits for; it belongs to a group of copies
  bool arrives : 1;       // kBarrier: this warp continues without waiting
  // When this instruction issues, it changes what other thread blocks can read, such as device memory. SMs
  // issue such instructions one after another, in the order of the SMs.
  bool takes_turns : 1;
  // An atomic of device memory whose lanes access one word, and of which compilers make one operation.
  bool mergeable : 1;
  bool spills : 1;   // it stores or loads a value that the registers of a thread have no room for
  bool signals : 1;  // its issue may end a wait of another warp of the block; see BlockStream::waits()
  bool awaits : 1;   // it may have to wait for another warp or for a copy; see BlockStream::waits()

  // The registers of the register file that it reads and writes; predicates are held in no bank.
  std::uint8_t register_reads = 0;
  std::uint8_t register_writes = 0;
  std::uint8_t written_bank = 0;  // number mod 32 of the register that it writes last
  BankCounts read_banks;          // reads by register number mod 32

  ControlBits control;

  // When the instruction issues, its block may send messages to the blocks of its cluster; see
  // BlockStream::cluster_messages().
  bool reaches_cluster : 1;
  // The address of this memory instruction is a constant or lies in a uniform register. The instruction reads
  // no register of the register file for it.
  bool uniform_address : 1;
  // The size of the warp's part of a product of matrices, 1 .. 255, in units of one mma.m16n8k8 of f16, which
  // multiplies 16,384 bits. A product of another type counts by the bits of its operands. An instruction that
  // multiplies no matrices has the value 0.
  std::uint8_t tensor_products = 0;

  // Each of these names a register. A register that the instruction reads twice counts once.
  void writes(RegisterId id);
  void reads(RegisterId id);
  // Predicates are tracked by the scoreboard and are held in no bank.
  void writes_predicate(RegisterId id);
  void reads_predicate(RegisterId id);
  // Adds a source operand that the instruction reads from constant memory, as in FFMA R1, R2, c[0][8], R3.
  // Instructions that load from constant memory into a register, such as LDC, have no such operand.
  void reads_constant(ConstantAddress address);
  bool has_constants() const { return has_constants_; }
  const std::vector<ConstantAddress>& constants() const { return names().constants; }  // in that order

  // The registers and predicates that the instruction names, in the order in which they were named.
  const std::vector<RegisterId>& sources() const { return names().sources; }
  const std::vector<RegisterId>& destinations() const { return names().destinations; }
  const BankCounts& written_banks() const { return names().written_banks; }
  const FirstSources& first_sources() const { return names().first_sources; }
  // Its reads of the register file, by register number mod 2.
  const std::array<std::uint8_t, 2>& reads_by_parity() const { return names().reads; }

  // Calls f(word) for each RegisterWord of which a register is named. An instruction that names no register
  // has one empty word.
  template <class F>
  [[gnu::always_inline]] void for_each_register_word(F f) const {
    f(RegisterWord{named_, written_, word_});
    if (has_more_words_)
      for (const RegisterWord& word : names_->more_words) f(word);
  }

 private:
  static const RegisterNames kNoNames;

  const RegisterNames& names() const { return names_ ? *names_ : kNoNames; }
  RegisterNames& own_names();  // which no other instruction shares
  void mark(RegisterId id, bool written);

  bool has_more_words_ : 1;
  bool has_constants_ : 1;
  std::uint8_t word_ = 0;  // number of the first word
  std::uint64_t named_ = 0;
  std::uint64_t written_ = 0;
  boost::intrusive_ptr<RegisterNames> names_;  // null: the instruction names no register
};
static_assert(sizeof(Instruction) == 64);

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

// A BulkCopy is a copy between shared memory and device memory that passes no register of a warp. The stream
// copies the bytes when the instruction issues, and the SM determines when the copy is complete. A copy has
// at least one piece of device memory, and each piece has at least one byte.
struct BulkCopy {
  struct Piece {
    Address address = 0;  // virtual
    std::uint32_t bytes = 0;
  };
  std::uint64_t number = 0;  // of the block; see BlockStream::complete()
  bool is_store = false;     // from shared memory to device memory; it belongs to a group
  std::vector<Piece> pieces;
  // The size in bytes of the elements of a reduction, which combines each element in shared memory with the
  // one in device memory. 0: the copy is no reduction.
  std::uint8_t reduced_bytes = 0;
};

// A ClusterMessage goes from a block to another block of its cluster, or to itself.
//
// An access is a load, a store or an atomic of shared memory of the other block. The stream transfers the
// bytes when the instruction issues, and the SM determines when they have arrived: a load and an atomic are
// complete when all of their messages have been answered, and a store when the other SM has confirmed it. A
// signal is an arrival at a barrier, which the other block receives (BlockStream::receive) after the bytes
// that go with it.
struct ClusterMessage {
  enum class Kind : std::uint8_t {
    kAccess,
    kClusterOpens,      // the barrier of the cluster has opened
    kArrival,           // `count` arrivals at the barrier object at `address`
    kExpectBytes,       // the barrier object waits for `count` bytes more
    kArrivalExpecting,  // both: one arrival, and `count` bytes more to wait for
    kBytes,             // `count` bytes of a copy have arrived
  };
  Kind kind = Kind::kAccess;
  std::uint8_t rank = 0;             // of the receiver in the cluster
  std::uint32_t sent_bytes = 0;      // data that go to the receiver
  std::uint32_t returned_bytes = 0;  // data that the answer to an access has
  std::uint32_t address = 0;         // of a barrier object in the receiver's shared memory
  std::uint32_t count = 0;
};

// A BlockStream has the instructions of one resident thread block, by warp. Warps are numbered from 0 in the
// block.
class BlockStream {
 public:
  virtual ~BlockStream() = default;

  // Returns the instruction `ahead` places (0, 1, ...) after the next one that the warp issues, in straight
  // line as fetch finds it; null past its last one. The call changes nothing.
  virtual const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) = 0;

  // Returns the bytes of the live registers of a warp that has not ended: 4 bytes for each register of each
  // lane that the warp may still read before it writes it. The function returns nothing if the stream does
  // not know them. The stream of a PTX kernel knows them only if its program was opened with
  // CodeOptions::knows_live_registers.
  virtual std::optional<std::uint32_t> live_register_bytes(std::uint32_t /*warp*/) const {
    return std::nullopt;
  }

  // Issues the warp's next instruction, which is peek(warp, 0) and not null. It fills all of `issued` except
  // `now` and the addresses of inactive lanes. Blocks may issue at the same time on several threads of
  // the host, but while one issues an instruction that takes turns, no other block issues.
  virtual void issue(std::uint32_t warp, IssuedInstruction& issued) = 0;

  // Returns whether the warp must wait before it issues its next instruction, for which Instruction::awaits
  // is true. The answer may change when a warp of the block issues an instruction for which
  // Instruction::signals is true, and when complete() is called.
  virtual bool waits(std::uint32_t /*warp*/) { return false; }

  // Returns the copies that the instruction that was issued last has started, which is a kBulkCopy. The list
  // is valid until the next issue. The caller calls complete() with the number of a copy when all of its
  // bytes have arrived.
  virtual const std::vector<BulkCopy>& bulk_copies() const;
  virtual void complete(std::uint64_t /*number*/) {}

  // Returns the messages to blocks of the cluster that the last issue() or complete() has made, in the order
  // in which they are sent. The list is valid until the next issue() or complete(). Only an instruction for
  // which Instruction::reaches_cluster is true, and a copy that goes to several blocks, makes any.
  virtual const std::vector<ClusterMessage>& cluster_messages() const;
  // The block receives a signal, which a block of its cluster has sent. A warp of the block that waits may go
  // on then; see waits(). The function is not called while any block issues an instruction.
  virtual void receive(const ClusterMessage& /*signal*/) {}
  // Returns the block of this rank in the cluster, or null if it has not started or has ended. Runs without
  // timing deliver signals by it.
  virtual BlockStream* block_of_cluster(std::uint32_t /*rank*/) { return nullptr; }

  // Returns the number of instructions, 1 or more, that lie one behind another in the host's memory from
  // peek(warp, ahead) on, which must not be null. The caller can read these by their addresses and need not
  // call peek() for each one, until the warp takes a branch.
  virtual std::uint32_t in_row(std::uint32_t /*warp*/, std::uint32_t /*ahead*/) { return 1; }
};

// PhaseNeeds is the most that is live at once in a phase.
struct PhaseNeeds {
  std::uint32_t registers_per_thread = 0;  // 32-bit registers
  std::uint32_t shared_bytes = 0;          // of the block
};
constexpr std::size_t kMostPhases = 256;  // of a kernel; Instruction::phase has 8 bits

// A KernelProgram is the code and data of one launched kernel. Each block is started once, approximately in
// order of the block numbers, and once again after each time that it was dropped. The blocks of a cluster
// have consecutive numbers, the first of which is a multiple of BlockShape::cluster.
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
