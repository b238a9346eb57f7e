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
  bool answers_writes() const override { return port_.has(b_valid_); }
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
  const Axi4AddressPins aw_, ar_;
  const RtlSignalId w_valid_, w_ready_, w_data_, w_enables_, w_last_;
  const RtlSignalId b_valid_, b_ready_, b_id_, b_response_;
  const RtlSignalId r_valid_, r_ready_, r_id_, r_data_, r_response_, r_last_;
  const std::uint32_t beat_bytes_;
  bool room_ = false;
  std::uint32_t read_beat_ = 0;  // of the present answer
  bool writing_ = false;         // the address of a write has been taken, and not all of its beats
  RtlMemoryRequest write_;
  std::uint32_t write_beat_ = 0;   // the next one
  std::optional<WriteBeat> held_;  // has come before its address
};

}  // namespace heddle
