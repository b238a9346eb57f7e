#pragma once
// Requests over AXI4. Every transfer is one burst with incrementing addresses and full beats. The address and
// the beats of a write are offered at the same time.

#include "models/rtl/interfaces/axi4.h"
#include "models/rtl/interfaces/rtl_requests.h"

namespace heddle {

class Axi4Requests final : public RequestPins {
 public:
  Axi4Requests(RtlPort& port, const RtlRole& role);

  std::uint32_t unit(std::uint32_t transfer_bytes) const override;
  bool has_bursts() const override { return true; }
  std::uint64_t ids() const override;
  bool knows_atomics() const override { return false; }
  bool answers_writes() const override { return true; }
  bool answers_apart() const override { return true; }
  void drive(const RtlTransfer* offered, bool room) override;
  bool taken(const RtlTransfer& offered) override;
  void collect(RtlRequests& requests) override;
  void reset() override;

 private:
  void drive_address(const Axi4AddressPins& pins, const RtlTransfer* transfer);
  std::uint32_t beats_of(const RtlTransfer& transfer) const { return transfer.bytes / beat_bytes_; }
  void collect_beat(RtlRequests& requests);

  RtlPort& port_;
  const Axi4Pins pins_;
  const std::uint32_t beat_bytes_;
  const std::uint32_t beat_size_;  // its logarithm
  bool address_taken_ = false;     // of the offered transfer
  std::uint32_t beats_taken_ = 0;  // of an offered write
  bool room_ = false;
};

}  // namespace heddle
