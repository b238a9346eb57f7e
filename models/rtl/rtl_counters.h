#pragma once
// RtlCounters counts what the counters of an RtlSpec name inside a block: ticks in which bits are not zero,
// or by how much a value grows.

#include <cstdint>
#include <string>
#include <vector>

#include "models/rtl/rtl_library.h"
#include "models/rtl/rtl_spec.h"
#include "models/stats/group.h"

namespace heddle {

class RtlCounters {
 public:
  // `specs` must outlive the object.
  explicit RtlCounters(const std::vector<RtlCounter>& specs) : specs_(specs), counters_(specs.size()) {}

  // Finds the signals in the instance. A pulse counts from 0 on, and a value from its present value on.
  // Returns what is wrong with a counter; nothing if the string is empty.
  [[nodiscard]] std::string connect(RtlInstance& instance);
  void add_stats(Group& group);

  // A tick calls the first function before the clocks rise, and the second one after the clocks have risen.
  void count_pulses() {
    for (Connected& counter : counters_)
      if (counter.spec->pulse && counter.value() != 0) ++counter.count;
  }
  void count_values() {
    for (Connected& counter : counters_) {
      if (counter.spec->pulse) continue;
      const std::uint64_t value = counter.value();
      counter.count += (value - counter.last) & RtlSignal::low_bits(counter.bits);
      counter.last = value;
    }
  }

 private:
  // A counter with its signal. The bits of the signal are a value, which grows modulo its width, or a pulse.
  struct Connected {
    const RtlCounter* spec = nullptr;
    RtlSignal* signal = nullptr;
    std::uint32_t bits = 0;
    std::uint64_t last = 0;
    Counter count;
    std::uint64_t value() const { return signal->get(spec->low, bits); }
  };

  const std::vector<RtlCounter>& specs_;
  std::vector<Connected> counters_;
};

}  // namespace heddle
