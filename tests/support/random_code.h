#pragma once
// Random code of synthetic kernels, as a YAML list in one line: nested loops and ifs around every kind of
// entry. The kernel needs 2 KiB of shared memory.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/random.h"

namespace heddle::test {

class RandomCode {
 public:
  enum class Memory : std::uint8_t {
    kLoads,
    kAll
  };  // kLoads: only loads of global and shared memory; kAll: every kind of access

  explicit RandomCode(std::uint64_t seed, Memory memory = Memory::kLoads) : random_(seed), memory_(memory) {}

  // Returns two random lists with a barrier between them.
  std::string with_barriers(int depth) {
    const std::string first = list(depth);
    return first.substr(0, first.size() - 1) + ", {barrier: 0}, " + list(depth).substr(1, std::string::npos);
  }

  std::string list(int depth) {
    std::string text = "[";
    for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) text += entry(depth) + (i > 1 ? ", " : "]");
    return text;
  }

 private:
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + random_.below(most - least + 1);
  }

  std::string of() { return std::vector<std::string>{"lanes", "warps", "blocks"}[random_.below(3)]; }

  std::string entry(int depth) {
    switch (random_.below(depth == 0 ? 4 : 8)) {
      case 0:
        return fmt::format("{{op: float_fma, count: {}, distance: {}}}", between(1, 6), between(1, 4));
      case 1:
        return fmt::format("{{mix: {{sfu: {}, int_mad: 2}}, count: {}}}", between(0, 3), between(1, 5));
      case 2:
        return access();
      case 3:
        return fmt::format("{{load: shared, conflicts: {}}}", between(1, 8));
      case 4:
        return fmt::format("{{loop: {}, body: {}}}", between(1, 3), list(depth - 1));
      case 5:
        return fmt::format("{{loop: {{least: 1, most: {}, of: {}}}, body: {}}}", between(1, 4), of(),
                           list(depth - 1));
      case 6:
        return fmt::format("{{if: {}, of: {}, then: {}}}", random_.unit(), of(), list(depth - 1));
      default:
        return fmt::format("{{if: {}, of: {}, then: {}, else: {}}}", random_.unit(), of(), list(depth - 1),
                           list(depth - 1));
    }
  }

  std::string access() {
    if (memory_ == Memory::kAll && random_.below(3) > 0) return other_access();
    const std::vector<std::string> patterns{"stream",
                                            "stream, per: warp",
                                            "strided, stride: 12B",
                                            "random, lines: 5",
                                            "working_set, set: 1KiB, per: block",
                                            "per_block, tile: 512B, times: 2",
                                            "uniform",
                                            "scatter"};
    return fmt::format("{{load: global, region: 64KiB, pattern: {}, bytes: 4, count: {}}}",
                       patterns[random_.below(patterns.size())], between(1, 2));
  }

  std::string other_access() {
    const std::vector<std::string> accesses{
        "load: global, region: 256KiB, pattern: random, lines: 3, bypass_l1: true",
        "load: global, region: 64MiB, pattern: random, lines: 2, dependent: true",
        "load: constant, region: 4KiB, pattern: uniform",
        "load: constant, region: 16KiB, pattern: scatter",
        "load: texture, region: 64KiB, pattern: stream",
        "load: local, set: 64B",
        "store: local, set: 128B, bytes: 8",
        "store: shared, conflicts: 4",
        "atomic: shared",
        "atomic: global, region: 1KiB, pattern: scatter",
        "store: global, region: 64KiB, pattern: stream",
        "store: global, region: 256KiB, pattern: random, lines: 4, bytes: 2",
        "store: global, region: 64KiB, pattern: scatter, bypass_l1: true"};
    return fmt::format("{{{}, count: {}}}", accesses[random_.below(accesses.size())], between(1, 2));
  }

  Random random_;
  Memory memory_;
};

}  // namespace heddle::test
