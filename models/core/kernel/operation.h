#pragma once
// This file has the operations of instructions and the memory spaces that they access. Pure logic.

#include <cstddef>
#include <cstdint>

namespace heddle {

// An operation determines an instruction's timing: a platform gives each operation a unit, a latency and an
// initiation interval. Executed and synthetic programs use the detailed operations; traces use one operation
// for each class, and since Volta some detailed ones. operation.cpp has the name and the default of each.
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
  kCondition,       // a comparison whose result the next branch or exit of an executed program reads
  kUniform,         // an operation on integers that all lanes share, by the uniform datapath
  kBranch,
  kTraceInt,  // integer, moves and branches of a trace
  kTraceSp,
  kTraceDp,
  kTraceSfu,
  kTraceTensor,
  kTensor,        // a product of matrices
  kTensorWide,    // the product of twice the depth; larger products repeat it (Instruction::repeats)
  kTensorDouble,  // the same of f64
  kLoad,
  kStore,
  kAtomic,
  kBarrier,  // the warp waits for warps of its block
  kFence,    // the warp waits until its stores have been answered
  kNop,
  kCopyCommit,    // the open group of asynchronous copies is closed, and another one opens
  kCopyWait,      // the warp waits for asynchronous copies (Instruction::copy_groups)
  kBulkCopy,      // a copy unit starts to copy bytes between shared memory and device memory
  kBulkCommit,    // the open group of the warp's bulk stores is closed, and another one opens
  kBulkWait,      // the warp waits for its bulk stores (Instruction::copy_groups)
  kBulkReadWait,  // the warp waits until its bulk stores have read shared memory
  // The part of a warp in a product of matrices of its warpgroup, 8 columns wide; wider products repeat it.
  // The scoreboard does not know the registers of its result.
  kTensorGroup,
  kProductCommit,  // the open group of the warp's kTensorGroup products is closed, and another one opens
  kProductWait,    // the warp waits for its kTensorGroup products (Instruction::copy_groups)
  kPhase,          // a phase specifier: the warp starts a phase (KernelProgram::phases)
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

// The most initiation intervals that an instruction takes.
constexpr std::uint32_t kMostIntervalRepeats = 4;
constexpr std::uint32_t kMostGroupRepeats = 32;  // kTensorGroup

}  // namespace heddle
