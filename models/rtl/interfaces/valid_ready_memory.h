#pragma once
// Requests to memory over valid and ready: one passes in a tick in which both are set, with all its data.

#include "models/rtl/interfaces/rtl_memory.h"

namespace heddle {

class ValidReadyMemory final : public MemoryPins {
 public:
  // `transfer_bytes`: see RtlInterfaceSpec.
  ValidReadyMemory(RtlPort& port, const RtlRole& role, std::uint32_t transfer_bytes);

  void drive(RtlMemory& memory, bool room) override;
  void collect(RtlMemory& memory) override;
  bool answers_writes() const override { return port_.has(fill_write_); }
  bool answers_apart() const override { return false; }
  std::uint32_t id_bits() const override { return port_.width(id_); }
  bool is_busy() const override { return false; }
  void reset() override {}

 private:
  std::uint32_t default_bytes(std::uint32_t transfer_bytes) const;
  RtlMemoryRequest request(RtlMemory& memory) const;

  RtlPort& port_;
  const RtlSignalId valid_, ready_, write_, address_, bytes_, id_, data_, enables_;
  const RtlSignalId fill_valid_, fill_ready_, fill_write_, fill_id_, fill_address_, fill_data_;
  const std::uint32_t default_bytes_;
  bool room_ = false;
  bool filling_ = false;
};

}  // namespace heddle
