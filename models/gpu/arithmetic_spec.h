#pragma once
// An ArithmeticSpec says what an SM computes in a given time. The blocks of kernels that state their work,
// and not a measured time, last as long as follows from it (stimuli/transformer/block_arithmetic.h).

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

// The types of numbers whose products of matrices have a rate of their own.
enum class NumberType : std::uint8_t { kFp32, kTf32, kFp16, kBf16, kFp8, kInt8 };
constexpr std::array<const char*, 6> kNumberTypes{"fp32", "tf32", "fp16", "bf16", "fp8", "int8"};

struct ArithmeticSpec {
  // By NumberType: dense FLOPs of products of matrices of an SM in a core cycle; 0: none is stated. A
  // multiplication and an addition are two FLOPs.
  std::array<double, kNumberTypes.size()> flops{};
  double efficiency = 0;       // the part of `flops` that products reach on an SM; 0: not stated
  double dram_efficiency = 1;  // the part of BandwidthSpec::dram_bytes_per_second that these kernels reach
  // Core cycles. The first is what a block takes beside its work: its first data must arrive, and its last
  // stores must be done. The second is the latency of a load from DRAM.
  std::uint64_t block_latency = 0;
  std::uint64_t load_latency = 0;

  bool is_stated() const { return efficiency > 0; }
  double flops_of(NumberType type) const { return flops[static_cast<std::size_t>(type)]; }
};

}  // namespace heddle
