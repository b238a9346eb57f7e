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
  // `pending` is not 0 if an earlier instruction has still to write a register of this one. `memory` is not 0
  // if such an instruction is a load.
  struct Wait {
    std::uint64_t pending = 0;
    std::uint64_t memory = 0;
  };
  [[gnu::always_inline]] Wait wait(const Instruction& code) const {
    Wait wait;
    code.for_each_register_word([&](const RegisterWord& of_code) {
      const Word& word = words_[of_code.number];
      wait.pending |= word.pending & of_code.named;
      wait.memory |= word.memory & of_code.named;
    });
    return wait;
  }

  [[gnu::always_inline]] void reserve(const Instruction& code, bool memory) {
    code.for_each_register_word([&](const RegisterWord& of_code) {
      Word& word = words_[of_code.number];
      word.pending |= of_code.written;
      if (memory) word.memory |= of_code.written;
    });
  }

  void release(const Instruction& code) {
    code.for_each_register_word([&](const RegisterWord& of_code) {
      Word& word = words_[of_code.number];
      word.pending &= ~of_code.written;
      word.memory &= ~of_code.written;
    });
  }

 private:
  struct Word {  // 64 registers
    std::uint64_t pending = 0;
    std::uint64_t memory = 0;  // the pending ones that a load writes
  };

  std::array<Word, kRegisterNames / 64> words_{};
};

}  // namespace heddle
