#pragma once
// An RtlInterface is one instance of a block in RTL that serves requests of the memory path, with its pins
// and the memory behind it. It has no SystemC: the owner gives requests, calls tick() in each cycle in which
// the block is busy, takes answers, and serves the bursts.

#include <cstdint>
#include <memory>
#include <string>

#include "models/rtl/interfaces/rtl_memory.h"
#include "models/rtl/interfaces/rtl_requests.h"
#include "models/rtl/rtl_block.h"

namespace heddle {

class RtlInterface {
 public:
  // `burst_bytes` is the size of a burst of DRAM.
  RtlInterface(RtlBlock& block, const std::string& path, std::uint32_t burst_bytes, RtlFault fault);

  void reset();

  RtlBlock& block() { return block_; }
  const RtlInterfaceSpec& spec() const { return block_.spec().interface; }
  RtlPort& port() { return port_; }
  RtlRequests& requests() { return *requests_; }
  RtlMemory* memory() { return memory_.get(); }  // null: the role has no memory behind the block

  // One tick, in a later cycle than the last. The cycles between them have passed without one, or, if the
  // block is not gated, with inputs at zero. `room`: answers are taken in this tick;
  // `memory_room`: requests to memory are.
  void tick(Cycle now, bool room, bool memory_room);

  // Whether the next cycle needs a tick: something is outstanding, or was until a short while ago.
  bool is_awake(Cycle now) const { return !is_idle() || now < idle_from_ + spec().gate_after; }
  bool is_idle() const { return requests_->outstanding() == 0 && (memory_ == nullptr || memory_->is_idle()); }

 private:
  std::unique_ptr<RequestPins> request_pins();
  std::unique_ptr<MemoryPins> memory_pins();
  // Whether a signal of the role has a pin.
  bool has(const char* signal) const { return port_.has(block_.role().find(signal)); }
  bool checks_data() const;

  RtlBlock& block_;
  RtlPort port_;
  std::unique_ptr<RtlRequests> requests_;
  std::unique_ptr<RtlMemory> memory_;
  RtlGate gate_;
  Cycle idle_from_{};
};

}  // namespace heddle
