#pragma once
// RtlMemory has the requests of a block in RTL to the memory behind it. It splits each into bursts of DRAM,
// and gives the answer when all of them are answered. Answers to requests of equal numbers keep their order.
//
// The pins of a protocol (MemoryPins) take requests from the block and give answers to it.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/core/base/ring.h"
#include "models/rtl/interfaces/address_data.h"
#include "models/rtl/interfaces/rtl_requests.h"
#include "models/rtl/rtl_port.h"

namespace heddle {

struct RtlMemoryRequest {
  static constexpr std::uint32_t kMostBytes = 1024;

  Address address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint64_t id = 0;
  std::array<std::uint64_t, kMostBytes / 64> enables{};  // of a write: a bit for each byte from `address` on
};

// A part of a request that lies in one burst of DRAM.
struct RtlMemoryBurst {
  Address address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint64_t enables = 0;  // of a write: a bit for each byte from `address` on
  std::uint32_t request = 0;  // which RtlMemory::answered() names
};

class RtlMemory;

class MemoryPins {
 public:
  virtual ~MemoryPins() = default;
  // Sets the inputs of a tick. `room`: requests are taken.
  virtual void drive(RtlMemory& memory, bool room) = 0;
  // After the outputs have settled: gives requests to `memory`, and takes away answers that the block takes.
  virtual void collect(RtlMemory& memory) = 0;
  virtual bool answers_writes() const = 0;
  virtual bool answers_apart() const = 0;  // reads in their order, and writes in theirs
  virtual std::uint32_t id_bits() const = 0;
  virtual bool is_busy() const = 0;  // a part of a request has come
  virtual void reset() = 0;
};

class RtlMemory {
 public:
  // `burst_bytes` is the size of a burst of DRAM, a power of two of at most 64.
  RtlMemory(RtlPort& port, std::unique_ptr<MemoryPins> pins, std::uint32_t burst_bytes, bool checks_data,
            RtlFault fault);

  void reset();
  bool is_idle() const { return in_use_ == 0 && !pins_->is_busy(); }

  // The block's requests are taken in this tick if there is room and all bursts before them have been taken
  // away: the block sees the back-pressure of memory at once.
  void drive(bool room) { pins_->drive(*this, room && bursts_.empty() && free_.size() >= kMostInATick); }
  void collect() { pins_->collect(*this); }

  // Returns the bursts for DRAM. The owner takes them away, and calls answered() for each.
  Ring<RtlMemoryBurst>& bursts() { return bursts_; }
  void answered(std::uint32_t request);

  // For pins.
  void take(const RtlMemoryRequest& request);
  // The oldest request whose answer can be given; null: there is none. `write` says which if writes are
  // answered apart.
  const RtlMemoryRequest* answer(bool write) const;
  void pop_answer(bool write);
  RtlPort& port() { return port_; }
  void fault(const std::string& output, const std::string& expected, const std::string& got) {
    fault_(output, expected, got);
  }
  // Reports data of a beat that are not the addresses; `what` is the output.
  void check_data(const DataBeat& data, const RtlMemoryRequest& request, Address beat, const char* what);

 private:
  static constexpr std::uint32_t kMostRequests = 64;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostIdBits = 16;
  static constexpr std::uint32_t kMostInATick = 2;  // a read and a write
  static constexpr std::size_t kMostBursts = 256;   // that wait, of a block that does not wait for memory

  struct Slot {
    RtlMemoryRequest request;
    std::uint32_t bursts = 0;    // without an answer
    bool first = false;          // nothing of the same number stands before it
    std::uint32_t next = kNone;  // the next one of its number
  };

  std::size_t direction(bool write) const { return pins_->answers_apart() && write ? 1 : 0; }
  void answer_if_first(std::uint32_t slot);

  RtlPort& port_;
  const std::unique_ptr<MemoryPins> pins_;
  const std::uint32_t burst_bytes_;
  const bool checks_data_;
  const RtlFault fault_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t in_use_ = 0;
  std::array<std::vector<std::uint32_t>, 2> last_;  // of each number, by direction
  std::array<Ring<std::uint32_t>, 2> ready_;        // slots whose answer can be given
  Ring<RtlMemoryBurst> bursts_;
};

}  // namespace heddle
