#pragma once
// Requests to memory over AXI4. The first beat of a write may come before its address, and then waits for it.
// The first beat of a read leaves when memory has answered all of it.

#include "models/rtl/interfaces/axi4.h"
#include "models/rtl/interfaces/rtl_memory.h"

namespace heddle {

class Axi4Memory final : public MemoryPins {
 public:
  Axi4Memory(RtlPort& port, const RtlRole& role);

  void drive(RtlMemory& memory, bool room) override;
  void collect(RtlMemory& memory) override;
  bool answers_writes() const override { return port_.has(pins_.b_valid); }
  bool answers_apart() const override { return true; }
  std::uint32_t id_bits() const override;
  bool is_busy() const override { return writing_ || held_; }
  void reset() override;

 private:
  struct WriteBeat {
    DataBeat data;
    std::array<std::uint64_t, 2> enables{};  // a bit for each byte
    bool is_last = false;
  };
  WriteBeat read_write_beat() const;
  RtlMemoryRequest request(const Axi4AddressPins& pins, bool write) const;
  void collect_answers(RtlMemory& memory);
  void collect_write(RtlMemory& memory);
  void take_beat(RtlMemory& memory, const WriteBeat& beat);

  RtlPort& port_;
  const Axi4Pins pins_;
  const std::uint32_t beat_bytes_;
  bool room_ = false;
  std::uint32_t read_beat_ = 0;  // of the present answer
  bool writing_ = false;         // the address of a write has been taken, and not all of its beats
  RtlMemoryRequest write_;
  std::uint32_t write_beat_ = 0;   // the next one
  std::optional<WriteBeat> held_;  // has come before its address
};

}  // namespace heddle
