#include "platforms/load/read_arithmetic.h"

#include <string>

namespace heddle {

namespace {

constexpr config::Range kLatency{0, 1000000};  // core cycles

}  // namespace

ArithmeticSpec read_arithmetic(const config::Section& root) {
  ArithmeticSpec spec;
  const config::Section section = root.optional_section("arithmetic");
  const config::Section flops = section.optional_section("flops");
  for (std::size_t i = 0; i < kNumberTypes.size(); ++i)
    spec.flops[i] = flops.real({kNumberTypes[i],
                                std::string("dense FLOPs of products of matrices of ") + kNumberTypes[i] +
                                    " of an SM in a core cycle; 0: it has none",
                                "FLOPs"},
                               {0, 1e6}, 0);
  spec.efficiency = section.real(
      {"efficiency", "part of these FLOPs that products reach on a busy SM; 0: not stated", "share"}, {0, 1},
      0);
  spec.dram_efficiency = section.real(
      {"dram_efficiency", "part of contention.dram that kernels which state their work reach", "share"},
      {0.01, 1}, 1);
  spec.block_latency = section.cycles(
      {"block_latency", "what a block takes beside its work, for its first data and its last stores"},
      kLatency, 0);
  spec.load_latency = section.cycles({"load_latency", "latency of a load from DRAM"}, kLatency, 0);
  if (root.has("arithmetic") && !spec.is_stated())
    section.problem("efficiency: it must be above 0 where FLOPs are stated");
  return spec;
}

}  // namespace heddle
