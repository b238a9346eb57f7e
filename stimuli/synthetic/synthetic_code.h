#pragma once
// A synthetic kernel laid out as instructions, 8 bytes each, and what issuing them does besides.
//
// A loop ends in kIntAdd (its counter), kMove (a comparison) and a kBranch back to its start, taken by the
// lanes that go round again. An `if` begins with kMove and kBranch, taken by the lanes that skip its body; a
// body with something else after it ends in a kBranch past that.
//
// Registers 0 .. live registers - 1 of a phase: loop counters and values first; the rest is read in turn
// where an operand is nobody's result, so that an instruction depends on what its entry says and nothing
// else. Comparisons write predicates, which are registers beyond the budget.

#include <cstdint>
#include <vector>

#include "stimuli/synthetic/access_pattern.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

constexpr std::uint32_t kInstructionBytes = 8;
constexpr std::uint32_t kMostSyntheticInstructions = 1u << 16;  // of code
constexpr std::uint64_t kMostIssues = std::uint64_t{1} << 48;   // of one warp
constexpr RegisterId kFirstPredicate = kRegisterNames - 8;

// What an instruction does besides going on to the next one.
struct SyntheticStep {
  enum class Kind : std::uint8_t { kPlain, kMemory, kLoop, kIf, kJump, kExit };
  Kind kind = Kind::kPlain;
  std::uint32_t index = 0;   // of its access, loop or if
  std::uint32_t number = 0;  // kMemory: 0 .. count - 1 of its entry
  std::uint32_t target = 0;  // pc: of the loop's start, past the body, or past the if
};

struct SyntheticLoop {
  std::int32_t parent = -1;  // the loop around it
  Unit of = Unit::kLane;
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};

struct SyntheticIf {
  std::int32_t parent = -1;
  Unit of = Unit::kLane;
  std::uint64_t fraction = 0;  // of 2^32
  std::uint32_t meet = 0;      // pc at which both ways meet
};

struct SyntheticAccess {
  std::int32_t parent = -1;
  std::uint32_t count = 1;  // instructions that share it
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
  std::vector<SyntheticPhase> phases;  // ascending pc, the first at 0
  std::uint64_t most_issues = 0;       // instructions of one warp if every loop goes round most often and
                                       // every `if` goes both ways
  bool varies = false;                 // whether some warp issues fewer

  std::uint32_t warps() const { return (shape.threads + kLanes - 1) / kLanes; }  // per block
};

// `kernel`'s values have their registers. Whatever `size_of` finds too large is not laid out.
SyntheticCode lay_out(const SyntheticKernel& kernel);

struct SyntheticSize {
  std::uint64_t instructions = 0;  // of code
  std::uint64_t issues = 0;        // of one warp, at most
};
SyntheticSize size_of(const std::vector<SyntheticEntry>& code);  // saturates; the last kExit left out

}  // namespace heddle
