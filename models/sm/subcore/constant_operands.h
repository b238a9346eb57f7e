#pragma once
// The ConstantOperands are the constant caches of the sub-cores of an SM for operands of instructions, which
// an instruction looks up when it is to issue (Huerta et al., MICRO 2025, section 5.1.1). A line that a cache
// lacks takes a fixed latency. The least recently used line makes room for it. The lines of a launch are its
// own.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/instruction.h"
#include "models/sm/residence/warp_mask.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class ConstantOperands {
 public:
  ConstantOperands(const OperandConstants& spec, std::uint32_t subcores) : spec_(spec), caches_(subcores) {}
  void reset() {
    for (std::vector<Line>& cache : caches_) cache.clear();
    served_ = {};
  }
  // Removes the lines of the launch from the caches, because a launch starts without constants in them.
  void drop(AccountId launch) {
    for (std::vector<Line>& cache : caches_)
      cache.erase(
          std::remove_if(cache.begin(), cache.end(), [&](const Line& line) { return line.launch == launch; }),
          cache.end());
  }

  // The warp in the slot is to issue this instruction, which has operands in constant memory. Returns the
  // cycle in which all of them are there: `now`, or a later one. The caller asks again in that cycle, and the
  // instruction then has its operands also if other warps have displaced them meanwhile.
  [[gnu::noinline]] Cycle fetch(std::size_t subcore, std::uint32_t slot, AccountId launch,
                                const Instruction& code, Cycle now) {
    if (spec_.lines == 0) return now;
    const bool is_served = served_[slot] == &code;
    served_[slot] = nullptr;
    Cycle ready = now;
    for (const ConstantAddress address : code.constants())
      ready = std::max(ready, look_up(caches_[subcore], launch, address / OperandConstants::kLineBytes, now));
    if (is_served || ready == now) return now;
    served_[slot] = &code;
    return ready;
  }
  // Returns the cycle from which on other warps of the sub-core issue, after a miss in the cycle `now`.
  Cycle switches(Cycle now) const { return now + spec_.switch_after; }
  // Another warp has come to the slot.
  void start(std::uint32_t slot) { served_[slot] = nullptr; }

 private:
  struct Line {
    AccountId launch;
    std::uint32_t number = 0;
    Cycle ready;
  };

  Cycle look_up(std::vector<Line>& cache, AccountId launch, std::uint32_t number, Cycle now) const {
    auto found = std::find_if(cache.begin(), cache.end(), [&](const Line& line) {
      return line.number == number && line.launch == launch;
    });
    if (found == cache.end()) {
      if (cache.size() == spec_.lines) cache.pop_back();
      found = cache.insert(cache.end(), {launch, number, now + spec_.miss_latency});
    }
    std::rotate(cache.begin(), found, found + 1);
    return cache.front().ready;
  }

  const OperandConstants spec_;
  std::vector<std::vector<Line>> caches_;  // by sub-core: the line that was used last comes first
  // By slot: the instruction for whose operands the warp waits, or null.
  std::array<const Instruction*, kMostWarps> served_{};
};

}  // namespace heddle
