#pragma once
// SM status registers (CUsched, Section III-C): per SM the slices that hold it. The paper's states follow:
// Idle has no slice, Reserved has a leaving one and a waiting one (the next kernel), Running the rest.

#include <vector>

#include "models/engine/sm_resources.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

struct SliceEntry {
  Slice slice;
  SliceState state = SliceState::kWaiting;
  std::uint32_t running = 0;    // blocks on the SM
  bool set_up_pending = false;  // the SM has been told to set up and has not answered
};

struct Smsr {
  explicit Smsr(const SmLimits& limits) : resources(limits) {}

  std::vector<SliceEntry> slices;  // in the order of the partition, leaving ones before
  SmResources resources;           // what all its blocks hold
  KsrId issued_last = KsrId::none();

  void reset() {
    slices.clear();
    resources.reset();
    issued_last = KsrId::none();
  }
  SliceEntry* find(KsrId ksr) {
    for (SliceEntry& entry : slices)
      if (entry.slice.kernel == ksr) return &entry;
    return nullptr;
  }
  // The slice behind the one that issued last, round about; the first if that one is gone.
  std::size_t next_in_turn() const {
    for (std::size_t i = 0; i + 1 < slices.size(); ++i)
      if (slices[i].slice.kernel == issued_last) return i + 1;
    return 0;
  }
  bool leaving() const {
    for (const SliceEntry& entry : slices)
      if (entry.state == SliceState::kLeaving) return true;
    return false;
  }
};

using SmsrFile = std::vector<Smsr>;

}  // namespace heddle
