#pragma once
// Helpers of those who look at what passes a MemoryTap.

#include <tlm>

#include <algorithm>
#include <cstdint>

#include "models/core/time/clock_domain.h"

namespace heddle {

// A number that Owner keeps at a payload. The payload keeps the extension, so that nothing is allocated once
// every payload of a pool has passed.
template <class Owner>
struct PayloadNumber : public tlm::tlm_extension<PayloadNumber<Owner>> {
  std::uint64_t number = 0;

  static std::uint64_t& of(tlm::tlm_generic_payload& payload) {
    auto* extension = payload.get_extension<PayloadNumber>();
    if (extension == nullptr) {
      extension = new PayloadNumber;
      payload.set_extension(extension);
    }
    return extension->number;
  }

  tlm::tlm_extension_base* clone() const override { return new PayloadNumber(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const PayloadNumber&>(other);
  }
};

// The cycle in which a block of this clock can see a request that begins at `time`: see MemoryTarget.
inline Cycle arrival_at(const ClockDomain& clock, const sc_core::sc_time& time) {
  const Cycle next = clock.now() + 1;
  return time == sc_core::sc_time_stamp() ? next : std::max(clock.edge_at(time), next);
}

}  // namespace heddle
