#pragma once
// Random structured programs of loops, branches, calls and early ends. A program can be written as PTX, and a
// reference executes it for a single thread.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/random.h"

namespace heddle::ptx {

// One statement of a program. Each kMix mixes its number into `log[thread]`, which thus identifies the path
// of the thread.
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
  std::uint32_t a = 0;  // registers a and b
  std::uint32_t b = 0;
  std::uint32_t number = 0;
  std::uint32_t level = 0;  // kBreak: the number of loops to leave; kCall: the index of the function
  std::uint32_t mask = 0;   // the condition is (register a & mask) == value
  std::uint32_t value = 0;
  std::vector<ProgramNode> body;
  std::vector<ProgramNode> other;
};

constexpr std::uint32_t kProgramRegisters = 4;
constexpr std::uint32_t kProgramFunctions = 3;  // the first is the entry

using Program = std::array<std::vector<ProgramNode>, kProgramFunctions>;

Program random_program(Random& random);

// Returns `log` of a thread that runs alone, or nothing if the thread exceeds a bound of steps.
std::optional<std::uint32_t> log_of(const Program& program, std::uint32_t thread);

// Returns the program as a PTX module with an entry `k` and a variable `log`, which has one word for each of
// 32 threads.
std::string text_of(const Program& program);

}  // namespace heddle::ptx
