#pragma once
// This file has the SASS opcodes of traces by GPU generation, with the operation that determines the timing
// of each opcode. Sources of the names: NVIDIA, CUDA Binary Utilities, "Instruction Set Reference", and the
// further names that the tracer of Accel-Sim writes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/core/kernel/instruction.h"

namespace heddle {

enum class SassGeneration : std::uint8_t {
  kKepler,
  kPascal,
  kVolta,
  kTuring,
  kAmpere,
  kAda,
  kHopper,
  kBlackwell100,  // the data centre's, of compute capability 10.0
  kBlackwell120,  // of compute capability 12.0
};
constexpr std::size_t kSassGenerations = static_cast<std::size_t>(SassGeneration::kBlackwell120) + 1;
const char* name_of(SassGeneration generation);

// Returns the generation of a binary version: 35 is Kepler, 60 and 61 Pascal, 70 Volta, 75 Turing, 80 and 86
// Ampere, 89 Ada, 90 Hopper, 100 and 120 Blackwell. The result is empty for any other version.
std::optional<SassGeneration> generation_of(std::uint64_t binary_version);
std::string known_binary_versions();  // "35, 60, ...", for messages

struct SassOpcode {
  Operation operation = Operation::kNop;
  MemorySpace space = MemorySpace::kNone;  // memory operations only
  bool generic = false;                    // the address determines the space; `space` is kGlobal
  // It copies from global to shared memory, and no register waits for it. A trace has a line for the global
  // side, and may have one for the shared side; the address of a line tells which side it is.
  bool copies = false;
  bool matrices = false;  // its lanes have the addresses of rows of matrices (rows_of_matrices)
  // The feature of the hardware that the opcode belongs to, if there is no model of it: "TMA".
  const char* unmodelled = nullptr;
  // It may make the warp go on elsewhere than at the next instruction of the code.
  bool is_control = false;
};

// Returns the operation of the opcode `base`, which is its name up to the first '.'. The result is empty if
// the generation has no such opcode.
std::optional<SassOpcode> find_opcode(SassGeneration generation, std::string_view base);

// Returns whether the instruction at `next` follows the one at `pc` in the code. An instruction has 16 bytes
// since Volta and 8 before, where in SASS the first word of 64 bytes (Kepler) or of 32 bytes (Pascal) is no
// instruction.
bool follows(SassGeneration generation, std::uint32_t pc, std::uint32_t next);

// Returns the bytes per lane that the modifiers state (.64, .U8, .F32, ...); 0 if they state none.
std::uint8_t bytes_of_modifiers(std::string_view opcode);

// Returns whether a modifier makes an access bypass the L1 cache: .BYPASS, .CG, .CV, .STRONG or .VOLATILE.
bool bypasses_l1(std::string_view opcode);

// Returns the rows of 16 bytes that an opcode with matrices accesses, 8 for each matrix: the last modifier is
// the number of matrices, 2 or 4, and an opcode without it has one. The address of row i stands at lane i.
std::uint32_t rows_of_matrices(std::string_view opcode);

// Returns Instruction::tensor_products of an opcode of the tensor unit by its shape and type: HMMA.16816
// is 2. Volta's HMMA.884 counts as one at the first of its steps (.STEP0) and as none at the others.
std::uint8_t products_of_matrices(std::string_view opcode);
constexpr std::uint8_t kMatrixRowBytes = 16;

}  // namespace heddle
