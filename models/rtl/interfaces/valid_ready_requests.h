#pragma once
// Requests over valid and ready: a transfer passes in a tick in which both are set.

#include "models/rtl/interfaces/rtl_requests.h"

namespace heddle {

class ValidReadyRequests final : public RequestPins {
 public:
  // `answers_writes`: see RtlInterfaceSpec::write_responses.
  ValidReadyRequests(RtlPort& port, const RtlRole& role, bool answers_writes);

  std::uint32_t unit(std::uint32_t transfer_bytes) const override;
  bool has_bursts() const override { return false; }
  std::uint64_t ids() const override;
  bool knows_atomics() const override { return port_.has(atomic_); }
  bool answers_writes() const override { return answers_writes_; }
  bool answers_apart() const override { return false; }
  void drive(const RtlTransfer* offered, bool room) override;
  bool taken(const RtlTransfer& offered) override;
  void collect(RtlRequests& requests) override;

 private:
  RtlPort& port_;
  const bool answers_writes_;
  const RtlSignalId valid_, ready_, write_, atomic_, lanes_, address_, bytes_, id_, data_, enables_;
  const RtlSignalId response_valid_, response_ready_, response_id_, response_error_, response_hit_,
      response_address_, response_data_;
  bool room_ = false;
};

}  // namespace heddle
