#pragma once
// Random cases for a block in SystemVerilog, with what the block must answer. The answers come from an oracle
// that is written a second time, from the description of the block or from the paper. The model's own code is
// asked as well.

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "models/rtl/rtl_block.h"
#include "tests/support/rtl/verilated_unit.h"

namespace heddle::test {

struct Answer {
  std::vector<std::uint64_t> choices;
  std::vector<std::uint64_t> counters;  // the counters that the block publishes, after the choices

  friend bool operator==(const Answer& a, const Answer& b) {
    return a.choices == b.choices && a.counters == b.counters;
  }
};

class UnitBench {
 public:
  virtual ~UnitBench() = default;

  // Draws the next case. The case does not depend on what the block answered before.
  virtual void draw() = 0;
  virtual const Answer& oracle() const = 0;
  virtual const std::vector<std::uint64_t>& model() const = 0;  // the choices of the model's own code
  // Counts the choices that the model's own code has made in all cases.
  virtual std::uint64_t model_choices() const = 0;
  virtual Answer ask(RtlInstance& unit) const = 0;
};

struct Unit {
  UnitSources sources;
  std::uint64_t cases = 0;    // at full size; a tenth of them at the short size
  std::uint64_t choices = 0;  // that the model's own code makes in these cases, at least
  std::function<std::unique_ptr<UnitBench>(std::uint64_t seed)> bench;
  // Cases of a machine in which the block runs in shadow mode: drawing a case asks it. Cycles count from 1.
  // Null for blocks that answer requests.
  std::function<std::unique_ptr<UnitBench>(std::uint64_t seed, RtlBlock& block)> shadow_bench = nullptr;
};

// The name of the unit in test names, with the ports of a crossbar.
std::string label_of(const Unit& unit);
inline void PrintTo(const Unit& unit, std::ostream* out) {
  *out << label_of(unit);
}

std::vector<Unit> all_units();
std::vector<Unit> default_units();  // each block once, with its usual number of ports

// Returns the units of each family.
std::vector<Unit> warp_units();
std::vector<Unit> crossbar_units();
std::vector<Unit> token_units();
std::vector<Unit> water_filling_units();
std::vector<Unit> l2_units();
std::vector<Unit> axi4_units();

// ---- for benches

inline void set(RtlInstance& unit, const char* pin, std::uint64_t value) {
  unit.find(pin)->set(value);
}
inline std::uint64_t get(RtlInstance& unit, const char* pin) {
  return unit.find(pin)->get();
}

// Rises the clock and lets it fall. The inputs have been set and evaluated with the clock low.
inline void tick(RtlInstance& unit) {
  set(unit, "clk", 1);
  unit.eval();
  set(unit, "clk", 0);
}

inline void reset(RtlInstance& unit) {
  set(unit, "clk", 0);
  set(unit, "rst_n", 0);
  for (int i = 0; i < 2; ++i) {
    unit.eval();
    tick(unit);
  }
  set(unit, "rst_n", 1);
}

// Writes a mask of any width, one bool a bit.
inline void set_mask(RtlInstance& unit, const char* pin, const std::vector<bool>& bits) {
  RtlSignal& signal = *unit.find(pin);
  for (std::uint32_t i = 0; i < bits.size(); ++i) signal.set(i, 1, bits[i] ? 1 : 0);
}

}  // namespace heddle::test
