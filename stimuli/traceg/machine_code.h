#pragma once
// This file has the machine code of a traced program, from which its instructions get their control bits.
// Traces do not contain these bits. Cubins do, and `cuobjdump -xelf all PROGRAM` extracts the cubins.
//
// An instruction since Volta has 16 bytes. The bits 41 to 61 of its upper word are: stall (4), yield (1, 0
// yields), write counter (3), read counter (3), awaited counters (6), reuse (4). Operands that are registers
// stand in bits 24 to 31 and 32 to 39 of the lower word and bits 0 to 7 of the upper word, and a result in
// bits 16 to 23 of the lower word. The bits 0 to 11 of the lower word are the opcode, of which bits 9 to 11
// say where the operands are: with 3 or 5 one of them is in constant memory, c[BANK][BYTE], with BYTE / 4 in
// bits 40 to 53 and BANK in bits 54 to 58. Verified against what ptxas 13.0 writes for sm_75, sm_86 and
// sm_90.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

struct SassInstruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  std::uint32_t destination() const { return low >> 16 & 0xff; }
  // Returns whether the address of a memory instruction is in no register of the register file.
  bool has_uniform_address() const { return (low >> 24 & 0xff) == kZeroRegister; }
  // Returns the address of the operand in constant memory, if the instruction has one. An instruction that
  // loads a constant (LDC, ULDC) has none, nor has one whose address is in a register.
  std::optional<ConstantAddress> constant() const;
  // Returns the control bits of the instruction, whose registers are known.
  ControlBits control(const Instruction& code) const;

 private:
  static constexpr std::uint32_t kZeroRegister = 255;
};

struct SassKernel {
  std::string file;
  std::vector<SassInstruction> instructions;
};

class MachineCode {
 public:
  static constexpr std::uint32_t kBytes = 16;  // of an instruction

  // Reads the files *.cubin of a folder, and keeps what is for compute capability 7.0 and later. Throws
  // config::Error, whose message starts with the file, for a file that is no cubin, and for a kernel that is
  // in two files for one architecture.
  explicit MachineCode(const std::string& folder);

  bool empty() const { return kernels_.empty(); }
  // Returns the kernel of this mangled name for an architecture, such as 90; null: there is none.
  const SassKernel* find(const std::string& kernel, std::uint32_t architecture) const;

 private:
  void read(const std::string& file);

  std::map<std::pair<std::string, std::uint32_t>, SassKernel> kernels_;  // by name and architecture
};

}  // namespace heddle
