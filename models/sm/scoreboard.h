#pragma once
// The register scoreboard of one warp: which registers will still be written, and which of them by a load.
// Blocks reads and writes of such a register until it is written (RAW, WAW).

#include <array>
#include <cstdint>

#include "models/core/instruction.h"

namespace heddle {

class Scoreboard {
 public:
  enum class Wait : std::uint8_t { kNone, kAlu, kMemory };

  // What the instruction waits for; memory, if any of its registers is one a load will write.
  Wait wait(const Instruction& code) const {
    if (count_ == 0) return Wait::kNone;
    Wait result = Wait::kNone;
    const auto look = [&](RegisterId id) {
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      if ((pending_[id / 64] & bit) == 0) return;
      if ((memory_[id / 64] & bit) != 0)
        result = Wait::kMemory;
      else if (result == Wait::kNone)
        result = Wait::kAlu;
    };
    for (std::uint32_t i = 0; i < code.sources; ++i) look(code.source[i]);
    for (std::uint32_t i = 0; i < code.destinations; ++i) look(code.destination[i]);
    return result;
  }

  void reserve(const Instruction& code, bool memory) {
    for (std::uint32_t i = 0; i < code.destinations; ++i) {
      const RegisterId id = code.destination[i];
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      if ((pending_[id / 64] & bit) == 0) ++count_;
      pending_[id / 64] |= bit;
      if (memory) memory_[id / 64] |= bit;
    }
  }

  void release(const Instruction& code) {
    for (std::uint32_t i = 0; i < code.destinations; ++i) {
      const RegisterId id = code.destination[i];
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      if ((pending_[id / 64] & bit) != 0) --count_;
      pending_[id / 64] &= ~bit;
      memory_[id / 64] &= ~bit;
    }
  }

  bool empty() const { return count_ == 0; }

 private:
  std::array<std::uint64_t, kRegisterNames / 64> pending_{};
  std::array<std::uint64_t, kRegisterNames / 64> memory_{};
  std::uint32_t count_ = 0;
};

}  // namespace heddle
