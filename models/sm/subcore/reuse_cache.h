#pragma once
// The ReuseCache keeps registers that an instruction has read for the next one of the same warp. It has a
// place for each bank and each of three operands (Huerta et al., MICRO 2025, section 5.3.1).

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/sm/subcore/register_ports.h"

namespace heddle {

class ReuseCache {
 public:
  void reset() { places_ = {}; }

  // The instruction of the warp reads its operands. Returns the reads that the cache has not made. A read
  // empties its place, unless the instruction keeps the operand for reuse.
  [[gnu::noinline]] RegisterPorts::Reads read(const Instruction& code, std::uint32_t warp) {
    RegisterPorts::Reads reads{};
    const std::vector<RegisterId>& operands = code.sources();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const RegisterId id = operands[i];
      if (i >= kOperands) {
        ++reads[id % 2];
        continue;
      }
      Place& place = places_[id % 2][i];
      if (!place.is_taken || place.warp != warp || place.id != id) ++reads[id % 2];
      place = {(code.control.reuse >> i & 1) != 0, static_cast<std::uint8_t>(warp), id};
    }
    return reads;
  }

 private:
  static constexpr std::size_t kOperands = 3;
  struct Place {
    bool is_taken = false;
    std::uint8_t warp = 0;
    RegisterId id = 0;
  };

  std::array<std::array<Place, kOperands>, 2> places_{};  // by bank and operand
};

}  // namespace heddle
