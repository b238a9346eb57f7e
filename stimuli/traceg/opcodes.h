#pragma once
// The SASS opcodes of a trace, by generation, and what each does as far as timing goes. Names: NVIDIA, CUDA
// Binary Utilities, "Instruction Set Reference"; names that Accel-Sim's tracer writes beside them.

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/core/kernel/instruction.h"

namespace heddle {

enum class SassGeneration : std::uint8_t { kKepler, kPascal, kVolta, kTuring, kAmpere };
const char* name_of(SassGeneration generation);

// 35 Kepler, 60 and 61 Pascal, 70 Volta, 75 Turing, 80 and 86 Ampere; nothing for any other.
std::optional<SassGeneration> generation_of(std::uint64_t binary_version);

struct SassOpcode {
  Operation operation = Operation::kNop;
  MemorySpace space = MemorySpace::kNone;  // of memory operations
  bool generic = false;                    // the space is told by the address; `space` is global
};

// `base`: the opcode up to its first '.'. Nothing for an opcode the generation does not have.
std::optional<SassOpcode> find_opcode(SassGeneration generation, std::string_view base);

// Bytes per lane as the modifiers say (.64, .U8, .F32, ...); 0 where they do not.
std::uint8_t bytes_of_modifiers(std::string_view opcode);

// Whether the modifiers keep an access out of L1: .CG, .CV, .STRONG and .VOLATILE.
bool bypasses_l1(std::string_view opcode);

}  // namespace heddle
