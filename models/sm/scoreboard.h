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
    std::uint64_t pending = 0;
    std::uint64_t memory = 0;
    const auto look = [&](RegisterId id) {
      const Word& word = words_[id / 64];
      pending |= word.pending >> (id % 64) & 1;
      memory |= word.memory >> (id % 64) & 1;
    };
    for (std::uint32_t i = 0; i < code.sources; ++i) look(code.source[i]);
    for (std::uint32_t i = 0; i < code.destinations; ++i) look(code.destination[i]);
    return memory != 0 ? Wait::kMemory : pending != 0 ? Wait::kAlu : Wait::kNone;
  }

  void reserve(const Instruction& code, bool memory) {
    for (std::uint32_t i = 0; i < code.destinations; ++i) {
      Word& word = words_[code.destination[i] / 64];
      const std::uint64_t bit = std::uint64_t{1} << (code.destination[i] % 64);
      if ((word.pending & bit) == 0) ++count_;
      word.pending |= bit;
      if (memory) word.memory |= bit;
    }
  }

  void release(const Instruction& code) {
    for (std::uint32_t i = 0; i < code.destinations; ++i) {
      Word& word = words_[code.destination[i] / 64];
      const std::uint64_t bit = std::uint64_t{1} << (code.destination[i] % 64);
      if ((word.pending & bit) != 0) --count_;
      word.pending &= ~bit;
      word.memory &= ~bit;
    }
  }

 private:
  struct Word {  // 64 registers
    std::uint64_t pending = 0;
    std::uint64_t memory = 0;  // of those, the ones a load writes
  };
  std::uint32_t count_ = 0;  // pending ones
  std::array<Word, kRegisterNames / 64> words_{};
};

}  // namespace heddle
