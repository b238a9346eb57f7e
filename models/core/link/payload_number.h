#pragma once
// This file has what the observers of a MemoryTap share: a number for each request, and the cycle in which a
// block sees a request.

#include <tlm>

#include <algorithm>
#include <cstdint>

#include "models/core/time/clock_domain.h"

namespace heddle {

// A PayloadNumber is a TLM extension with which a module, Owner, numbers a payload. The extension stays with
// the payload, so that each payload of a pool allocates it only once.
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

// Returns the cycle of `clock` in which a block sees a request whose transaction begins at `time`. It is the
// cycle in which a MemoryTarget would see it.
inline Cycle arrival_at(const ClockDomain& clock, const sc_core::sc_time& time) {
  const Cycle next = clock.now() + 1;
  return time == sc_core::sc_time_stamp() ? next : std::max(clock.edge_at(time), next);
}

}  // namespace heddle
