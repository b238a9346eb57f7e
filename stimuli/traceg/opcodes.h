#pragma once
// This file has the SASS opcodes of traces by GPU generation, with the operation that determines the timing
// of each opcode. Sources of the names: NVIDIA, CUDA Binary Utilities, "Instruction Set Reference", and the
// further names that the tracer of Accel-Sim writes.

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/core/kernel/instruction.h"

namespace heddle {

enum class SassGeneration : std::uint8_t { kKepler, kPascal, kVolta, kTuring, kAmpere };
const char* name_of(SassGeneration generation);

// Returns the generation of a binary version: 35 is Kepler, 60 and 61 Pascal, 70 Volta, 75 Turing, 80 and 86
// Ampere. The result is empty for any other version.
std::optional<SassGeneration> generation_of(std::uint64_t binary_version);

struct SassOpcode {
  Operation operation = Operation::kNop;
  MemorySpace space = MemorySpace::kNone;  // memory operations only
  bool generic = false;                    // the address determines the space; `space` is kGlobal
};

// Returns the operation of the opcode `base`, which is its name up to the first '.'. The result is empty if
// the generation has no such opcode.
std::optional<SassOpcode> find_opcode(SassGeneration generation, std::string_view base);

// Returns the bytes per lane that the modifiers state (.64, .U8, .F32, ...); 0 if they state none.
std::uint8_t bytes_of_modifiers(std::string_view opcode);

// Returns whether a modifier makes an access bypass the L1 cache: .CG, .CV, .STRONG or .VOLATILE.
bool bypasses_l1(std::string_view opcode);

}  // namespace heddle
