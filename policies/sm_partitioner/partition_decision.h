#pragma once
// A decision of a partitioner that profiles: how kernels share the GPU from then on, and why. A partitioner
// computes many partitions from one decision.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

struct PartitionDecision {
  enum class Kind : std::uint8_t {
    kProfile,  // a profile of the kernels starts
    kQuotas,   // the kernels share every SM, each within its quota
    kSpatial,  // each kernel has SMs of its own
    kAlone,    // a profile ends without a choice, because fewer than two kernels are left
  };
  struct Share {
    ContextId context;
    std::uint32_t tag = 0;     // the tag of the kernel; see KernelView
    std::uint32_t blocks = 0;  // kQuotas: the kernel's quota on every SM; else 0
    // kQuotas and kSpatial: performance with 1, 2, ... blocks as a fraction of the best; else empty.
    std::vector<double> performance;
  };

  Cycle at;  // the end of the latest sample
  Kind kind = Kind::kProfile;
  // The largest loss of a kernel with quotas, as a fraction of its best performance; 1: one block of each
  // kernel does not fit an SM.
  double loss = 0;
  std::vector<Share> shares;  // in order of arrival
};

constexpr const char* name_of(PartitionDecision::Kind kind) {
  constexpr const char* kNames[] = {"profile", "quotas", "spatial", "alone"};
  return kNames[static_cast<int>(kind)];
}

// Whether a decision of this kind chooses how kernels share.
constexpr bool is_choice(PartitionDecision::Kind kind) {
  return kind == PartitionDecision::Kind::kQuotas || kind == PartitionDecision::Kind::kSpatial;
}

}  // namespace heddle
