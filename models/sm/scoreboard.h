#pragma once
// A Scoreboard is the register scoreboard of one warp. It knows the registers that issued instructions have
// still to write, and which of these writes are loads. An instruction that reads or writes such a register
// waits (RAW, WAW).

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"

namespace heddle {

class Scoreboard {
 public:
  // `pending` is true if an earlier instruction has still to write a register of this one. `memory` is true
  // if such an instruction is a load.
  struct Wait {
    bool pending = false;
    bool memory = false;
  };
  Wait wait(const Instruction& code) const {
    std::uint64_t pending = words_[0].pending & code.registers;
    std::uint64_t memory = words_[0].memory & code.registers;
    if (!code.only_low && high_ > 0) {
      const auto look = [&](RegisterId id) {
        const Word& word = words_[id / 64];
        pending |= word.pending >> (id % 64) & 1;
        memory |= word.memory >> (id % 64) & 1;
      };
      for (std::uint32_t i = 0; i < code.sources; ++i) look(code.source[i]);
      for (std::uint32_t i = 0; i < code.destinations; ++i) look(code.destination[i]);
    }
    return {pending != 0, memory != 0};
  }

  void reserve(const Instruction& code, bool memory) {
    words_[0].pending |= code.written;
    if (memory) words_[0].memory |= code.written;
    if (code.only_low) return;
    for_each_high(code, [&](Word& word, std::uint64_t bit) {
      if ((word.pending & bit) == 0) ++high_;
      word.pending |= bit;
      if (memory) word.memory |= bit;
    });
  }

  void release(const Instruction& code) {
    words_[0].pending &= ~code.written;
    words_[0].memory &= ~code.written;
    if (code.only_low) return;
    for_each_high(code, [&](Word& word, std::uint64_t bit) {
      if ((word.pending & bit) != 0) --high_;
      word.pending &= ~bit;
      word.memory &= ~bit;
    });
  }

 private:
  struct Word {  // 64 registers
    std::uint64_t pending = 0;
    std::uint64_t memory = 0;  // the pending ones that a load writes
  };

  // Calls f(word, bit) for each register from 64 on that the instruction writes.
  template <class F>
  void for_each_high(const Instruction& code, F f) {
    for (std::uint32_t i = 0; i < code.destinations; ++i) {
      const RegisterId id = code.destination[i];
      if (id >= 64) f(words_[id / 64], std::uint64_t{1} << (id % 64));
    }
  }

  std::array<Word, kRegisterNames / 64> words_{};
  std::uint32_t high_ = 0;  // number of pending registers from 64 on
};

}  // namespace heddle
