#pragma once
// What a partitioner has decided, for those who want to know why: not every partition it gave, but each
// choice it made among ways to share.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

struct PartitionDecision {
  enum class Kind : std::uint8_t {
    kProfile,  // measure the kernels
    kQuotas,   // share every SM, each within its quota
    kSpatial,  // each its own SMs
    kAlone,    // a profile ends without a choice: fewer than two kernels are left
  };
  struct Share {
    ContextId context;
    std::uint32_t tag = 0;            // of the kernel: see KernelView
    std::uint32_t blocks = 0;         // kQuotas: its quota on every SM; else 0
    std::vector<double> performance;  // with 1, 2, ... blocks, as a fraction of its best, if chosen by it
  };

  Cycle at;  // the end of the latest sample
  Kind kind = Kind::kProfile;
  double loss = 0;            // the most that a kernel would lose of its best with quotas; 1: they do not fit
  std::vector<Share> shares;  // in order of arrival
};

constexpr const char* name_of(PartitionDecision::Kind kind) {
  constexpr const char* kNames[] = {"profile", "quotas", "spatial", "alone"};
  return kNames[static_cast<int>(kind)];
}

// Whether it says how kernels share.
constexpr bool is_choice(PartitionDecision::Kind kind) {
  return kind == PartitionDecision::Kind::kQuotas || kind == PartitionDecision::Kind::kSpatial;
}

}  // namespace heddle
