#pragma once
// How a machine asks for the code of a kernel.

#include <cstdint>
#include <tuple>

namespace heddle {

// The order and the number of the instructions of an executed PTX kernel.
enum class CodeSchedule : std::uint8_t {
  kNone,         // one instruction for each statement, in the order of the text
  kPtxasLike,    // as ptxas would emit them: folded, expanded, with loops repeated, scheduled
  kPtxasLike90,  // the same for compute capability 9.0 and later, where instructions load constants
};

// The form of the code of executed PTX kernels on a GPU.
struct CodeForm {
  CodeSchedule schedule = CodeSchedule::kNone;
  std::uint32_t instruction_bytes = 8;  // 8 as on Fermi to Pascal, or 16 as on Volta and later
  bool uniform_datapath = false;        // as on Turing and later: operations on what all lanes share go there
};

inline bool operator<(const CodeForm& a, const CodeForm& b) {
  return std::tie(a.schedule, a.instruction_bytes, a.uniform_datapath) <
         std::tie(b.schedule, b.instruction_bytes, b.uniform_datapath);
}

struct CodeOptions {
  static constexpr std::uint32_t kIndependentThreads = 70;  // the first compute capability with them

  bool with_phases = false;  // the code has phase specifiers
  CodeForm form;
  // A trace says where its warps take branches. It is true for SMs on which such a branch costs cycles.
  bool tells_branches = false;
  // The SMs follow control bits. A trace takes them from the cubins beside it.
  bool follows_control_bits = false;
  // Lanes of a warp may wait for each other, as on GPUs since Volta.
  bool independent_threads = false;
  // Whether the streams of blocks can tell which registers are live (BlockStream::live_register_bytes()).
  bool knows_live_registers = false;
};

}  // namespace heddle
