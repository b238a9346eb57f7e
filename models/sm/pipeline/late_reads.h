#pragma once
// The LateReads are the memory instructions of the warps of one SM that have issued and have still to read
// their registers. No instruction that writes such a register issues (WAR). Other instructions read early
// enough that this cannot happen to them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/sm/residence/warp_mask.h"

namespace heddle {

class LateReads {
 public:
  void reset() {
    reading_ = 0;
    instructions_.clear();
  }

  WarpMask warps() const { return reading_; }  // those of these instructions

  // The instruction of the warp in the slot issues, or has read its registers.
  void add(std::uint32_t slot, const Instruction& code) {
    reading_ |= bit(slot);
    instructions_.push_back({&code, slot});
  }
  void remove(std::uint32_t slot, const Instruction& code) {
    instructions_.erase(std::find_if(instructions_.begin(), instructions_.end(), [&](const Reader& one) {
      return one.slot == slot && one.code == &code;
    }));
    const auto is_of_slot = [slot](const Reader& one) { return one.slot == slot; };
    if (std::none_of(instructions_.begin(), instructions_.end(), is_of_slot)) reading_ &= ~bit(slot);
  }

  // Returns whether an instruction of the warp has still to read a register that this one writes. One that
  // has still to write such a register counts, too.
  bool meet(std::uint32_t slot, const Instruction& code) const {
    return (reading_ & bit(slot)) != 0 &&
           std::any_of(instructions_.begin(), instructions_.end(),
                       [&](const Reader& one) { return one.slot == slot && meet(*one.code, code); });
  }

 private:
  struct Reader {
    const Instruction* code;
    std::uint32_t slot;
  };
  static bool meet(const Instruction& reader, const Instruction& writer) {
    bool meets = false;
    reader.for_each_register_word([&](const RegisterWord& read) {
      writer.for_each_register_word([&](const RegisterWord& written) {
        meets = meets || (read.number == written.number && (read.named & written.written) != 0);
      });
    });
    return meets;
  }

  WarpMask reading_ = 0;  // the warps of these instructions
  std::vector<Reader> instructions_;
};

}  // namespace heddle
