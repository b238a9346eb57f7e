#pragma once
// Random structured programs of loops, branches, calls and early ends: as PTX, and as one thread runs them.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/random.h"

namespace heddle::ptx {

// What a thread has done is a number in `log[thread]`, mixed anew by each kMix.
struct ProgramNode {
  enum class Kind : std::uint8_t {
    kMix,
    kSet,
    kStore,
    kLoad,
    kIf,
    kLoop,
    kBreak,
    kContinue,
    kReturn,
    kExit,
    kCall
  };
  Kind kind = Kind::kMix;
  std::uint32_t a = 0;  // registers
  std::uint32_t b = 0;
  std::uint32_t number = 0;
  std::uint32_t level = 0;  // kBreak: of how many loops; kCall: which function
  std::uint32_t mask = 0;   // the condition: (register a & mask) == value
  std::uint32_t value = 0;
  std::vector<ProgramNode> body;
  std::vector<ProgramNode> other;
};

constexpr std::uint32_t kProgramRegisters = 4;
constexpr std::uint32_t kProgramFunctions = 3;  // the first is the entry

using Program = std::array<std::vector<ProgramNode>, kProgramFunctions>;

Program random_program(Random& random);

// `log` of a thread that runs alone; nothing where that takes too many steps.
std::optional<std::uint32_t> log_of(const Program& program, std::uint32_t thread);

// The program as a module with an entry `k` and a variable `log` of a word for each of 32 threads.
std::string text_of(const Program& program);

}  // namespace heddle::ptx
