#pragma once
// RtlRequests has the requests of the machine that a block in RTL serves. It splits each into transfers of
// the size that the block takes, gives each transfer a number of its own, and joins the responses. An atomic
// is one transfer if the block knows atomics; else it is read, and then written.
//
// The pins of a protocol (RequestPins) carry one transfer at a time into the block.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/ring.h"
#include "models/core/link/memory_request.h"
#include "models/rtl/rtl_port.h"

namespace heddle {

// A request lies within one line of 128 bytes.
struct RtlRequest {
  std::uint64_t number = 0;  // the caller's, which comes back with the answer
  Address address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  bool atomic = false;                     // a read-modify-write; `write` is false
  std::uint32_t lanes = 0;                 // of an atomic
  std::array<std::uint64_t, 2> enables{};  // of a write: a bit for each byte from `address` on

  bool has(Address byte) const { return byte >= address && byte - address < bytes; }
  bool is_enabled(Address byte) const {
    const Address i = byte - address;
    return has(byte) && (enables[i / 64] >> (i % 64) & 1) != 0;
  }
};

struct RtlAnswer {
  std::uint64_t number = 0;
  bool failed = false;      // the block has answered with an error
  std::optional<bool> hit;  // whether it found the line, if the block says so
};

// One transfer: a part of a request as the block sees it.
struct RtlTransfer {
  RtlRequest request;
  std::uint32_t slot = 0;  // of its request
  std::uint32_t id = 0;
  bool write = false;
  bool atomic = false;
  Address address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t beats = 0;  // that have been read
  bool failed = false;      // one of them
};

struct RtlResponse {
  bool write = false;               // AXI4 answers reads and writes apart
  std::optional<std::uint64_t> id;  // none: the oldest transfer is answered
  bool failed = false;
  std::optional<bool> hit;
};

// What a block has done wrong: an output, what it should be and what it is. It may throw.
using RtlFault =
    std::function<void(const std::string& output, const std::string& expected, const std::string& got)>;

class RtlRequests;

class RequestPins {
 public:
  virtual ~RequestPins() = default;
  // Size and alignment of transfers where the spec says `transfer_bytes`; 0: it says nothing. An RtlError
  // says that the pins cannot carry them.
  virtual std::uint32_t unit(std::uint32_t transfer_bytes) const = 0;
  virtual bool has_bursts() const = 0;    // a transfer may have several units
  virtual std::uint64_t ids() const = 0;  // numbers of transfers; 0: no pin for them is connected
  virtual bool knows_atomics() const = 0;
  virtual bool answers_writes() const = 0;
  virtual bool answers_apart() const = 0;  // reads in their order, and writes in theirs
  // Sets the inputs of a tick. `offered` waits to be taken, or is null. `room` says whether a response is
  // taken.
  virtual void drive(const RtlTransfer* offered, bool room) = 0;
  // After the outputs have settled: whether the last part of the offered transfer is taken in this tick.
  virtual bool taken(const RtlTransfer& offered) = 0;
  // Then: gives the responses of the tick to `requests`.
  virtual void collect(RtlRequests& requests) = 0;
  virtual void reset() {}
};

class RtlRequests {
 public:
  // The most transfers that a block has at once, if its numbers allow as many.
  static constexpr std::uint64_t kMostTransfers = 256;

  RtlRequests(RtlPort& port, std::unique_ptr<RequestPins> pins, const RtlInterfaceSpec& spec,
              bool checks_data, RtlFault fault);

  void reset();

  // Whether a request can be given: the block has taken the last one whole.
  bool can_give() const { return !offering_ && !free_slots_.empty() && waiting_.empty(); }
  void give(const RtlRequest& request);
  bool offering() const { return offering_; }  // the block has not taken the last request whole
  std::size_t outstanding() const { return slots_.size() - free_slots_.size(); }
  std::size_t most() const { return slots_.size(); }  // requests at once

  // The parts of a tick: see RequestPins. `room`: answers of this tick are taken.
  void drive(bool room);
  void collect();
  Ring<RtlAnswer>& answers() { return answers_; }

  // For pins: the transfer that a response belongs to. After a fault it returns null.
  RtlTransfer* find(bool write, const std::optional<std::uint64_t>& id);
  void respond(const RtlResponse& response);
  // Reports data of a beat of the transfer that are not the addresses. `what` is the output.
  void check_data(RtlSignalId data, const RtlTransfer& transfer, Address beat, const char* what);
  void fault(const std::string& output, const std::string& expected, const std::string& got) {
    fault_(output, expected, got);
  }

 private:
  struct Slot {  // of a request
    RtlRequest request;
    std::uint32_t transfers = 0;  // without a response
    bool offered = false;         // all of them have been taken
    bool writing = false;         // an atomic, after its read
    RtlAnswer answer;
  };

  void offer_next();
  void taken();
  Ring<std::uint32_t>& order_of(bool write) { return order_[pins_->answers_apart() && write ? 1 : 0]; }
  void finish_transfer(const RtlTransfer& transfer);
  void finish(std::uint32_t slot);

  RtlPort& port_;
  const std::unique_ptr<RequestPins> pins_;
  const std::uint32_t unit_;  // of transfers
  const bool is_whole_;       // a transfer has the units that its request needs, else one
  const bool checks_data_;
  const RtlFault fault_;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<RtlTransfer> transfers_;  // by id
  std::vector<bool> in_use_;
  std::vector<std::uint32_t> free_ids_;
  std::array<Ring<std::uint32_t>, 2>
      order_;                    // ids in order, if responses have no number; writes in AXI4 apart
  Ring<std::uint32_t> waiting_;  // slots whose transfers are offered next
  Ring<RtlAnswer> answers_;

  bool offering_ = false;      // of the request that was given last
  std::uint32_t current_ = 0;  // slot of the request whose transfers are offered
  bool has_current_ = false;
  Address next_ = 0;  // the next transfer of the current request
  Address end_ = 0;
  const RtlTransfer* offered_ = nullptr;
};

}  // namespace heddle
