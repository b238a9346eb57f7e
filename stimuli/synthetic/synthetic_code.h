#pragma once
// This file has a synthetic kernel as a sequence of instructions of 8 bytes each, with the effect of each
// instruction on the control flow.
//
// A loop ends in a kIntAdd of its counter, a kMove as the comparison, and a kBranch to its start, which the
// lanes take that execute another round. An `if` begins with a kMove as the comparison and a kBranch, which
// the lanes take that skip its body. The body of an `if` with an `else` ends in a kBranch past the `else`.
//
// A phase uses the registers 0 .. live registers - 1. Loop counters and values take the lowest ones. Operands
// that are no value read the other registers in turn, which no instruction writes. An instruction therefore
// depends only on the values of its entry. Comparisons write predicates, which are registers beyond the
// budget of the kernel.
//
// Code for a resource manager that uses phases has phase specifiers, which are kPhase instructions. One
// stands at the start of each phase but the first. Another one stands at the start of a loop if the body of
// the loop ends in another phase than the one it starts in, so that each round starts in the right phase.

#include <cstdint>
#include <vector>

#include "stimuli/synthetic/access_pattern.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

constexpr std::uint32_t kInstructionBytes = 8;
constexpr std::uint32_t kMostSyntheticInstructions = 1u << 16;  // in the code of a kernel
constexpr std::uint64_t kMostIssues = std::uint64_t{1} << 48;   // by one warp
constexpr RegisterId kFirstPredicate = kRegisterNames - 8;

// A SyntheticStep is the effect of an instruction on the control flow of its warp.
struct SyntheticStep {
  enum class Kind : std::uint8_t { kPlain, kMemory, kLoop, kIf, kJump, kExit };
  Kind kind = Kind::kPlain;
  std::uint32_t index = 0;   // of its access, loop or if in SyntheticCode
  std::uint32_t number = 0;  // kMemory: 0 .. count - 1 within its entry
  std::uint32_t target = 0;  // pc of the start of the loop, past the body, or past the if
};

struct SyntheticLoop {
  std::int32_t parent = -1;  // index of the enclosing loop; -1 without one
  Unit of = Unit::kLane;
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};

struct SyntheticIf {
  std::int32_t parent = -1;  // index of the enclosing loop; -1 without one
  Unit of = Unit::kLane;
  std::uint64_t fraction = 0;  // of 2^32 lanes, warps or blocks that take the body
  std::uint32_t meet = 0;      // pc at which both paths reconverge
};

struct SyntheticAccess {
  std::int32_t parent = -1;  // index of the enclosing loop; -1 without one
  std::uint32_t count = 1;   // instructions that share the access
  AddressGenerator addresses;
};

struct SyntheticCode {
  std::uint64_t blocks = 1;
  BlockShape shape;
  std::uint64_t seed = 1;
  std::vector<Instruction> instructions;
  std::vector<SyntheticStep> steps;  // by instruction
  std::vector<SyntheticLoop> loops;
  std::vector<SyntheticIf> ifs;
  std::vector<SyntheticAccess> accesses;
  std::vector<SyntheticPhase> phases;  // by ascending pc; the first has pc 0
  std::vector<PhaseNeeds> needs;       // by Instruction::phase; empty in code without specifiers
  // The most instructions that one warp issues: every loop takes its most rounds, every `if` both paths.
  std::uint64_t most_issues = 0;
  bool varies = false;  // some warps may issue fewer instructions

  std::uint32_t warps() const { return (shape.threads + kLanes - 1) / kLanes; }  // per block
};

// Returns the code of the kernel. Registers must be assigned to its values, and size_of() its code must be
// below kMostSyntheticInstructions and kMostIssues.
SyntheticCode lay_out(const SyntheticKernel& kernel, bool with_phases = false);

struct SyntheticSize {
  std::uint64_t instructions = 0;  // in the code
  std::uint64_t issues = 0;        // the most of one warp
};
// Returns the size of the code without the final kExit. `issues` saturates at kMostIssues + 1.
SyntheticSize size_of(const std::vector<SyntheticEntry>& code);

}  // namespace heddle
