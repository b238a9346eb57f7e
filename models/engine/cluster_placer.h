#pragma once
// The ClusterPlacer chooses the SMs for the blocks of a cluster. They are SMs of one GPC (CUDA C++
// Programming Guide, "Thread Block Clusters"). Each block has an SM of its own, and the SMs are those of the
// GPC that hold the fewest blocks. These two rules are guesses.

#include <algorithm>
#include <vector>

#include "models/core/base/gpc_map.h"
#include "models/engine/smsr_file.h"

namespace heddle {

class ClusterPlacer {
 public:
  // `smsrs` must outlive the placer.
  ClusterPlacer(const GpcMap& gpcs, const SmsrFile& smsrs) : gpcs_(gpcs), smsrs_(smsrs) {}

  // Returns an SM for each of the `blocks` blocks of a cluster, by rank. They are SMs of the GPC of `sm` for
  // which takes(sm) is true. The list is empty if the GPC has too few of them, and is valid until the next
  // call.
  template <class Takes>
  const std::vector<SmId>& find(SmId sm, std::uint32_t blocks, Takes takes) {
    found_.clear();
    const auto sms = static_cast<std::uint32_t>(smsrs_.size());
    for (std::uint32_t tpc = gpcs_.gpc_of(sm); tpc * gpcs_.tpc_sms < sms; tpc += gpcs_.gpcs)
      for (std::uint32_t i = 0; i < gpcs_.tpc_sms && tpc * gpcs_.tpc_sms + i < sms; ++i)
        if (const SmId other{tpc * gpcs_.tpc_sms + i}; takes(other)) found_.push_back(other);
    choose(blocks);
    return found_;
  }

 private:
  void choose(std::uint32_t blocks);

  const GpcMap gpcs_;
  const SmsrFile& smsrs_;
  std::vector<SmId> found_;
};

}  // namespace heddle
