#pragma once
// The requests that wait at one memory channel. Reads and writes of each bank have a list each, in order of
// arrival.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// The state in which a request found its bank.
enum class RowOutcome : std::uint8_t {
  kHit,       // its row was open, or an activate had been made for another request
  kMiss,      // the bank was closed: an activate was made for it
  kConflict,  // another row was closed for it
};

struct WaitingRequest {
  std::uint64_t token = 0;    // chosen by the owner of the controller
  std::uint64_t arrival = 0;  // its number among all requests of the channel
  Cycle accepted;
  std::uint32_t row = 0;
  std::uint32_t bank = 0;
  bool write = false;
  RowOutcome outcome = RowOutcome::kHit;
};

class RequestQueue {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = ~Slot{0};

  RequestQueue(std::uint32_t entries, std::uint32_t banks);

  bool full() const { return free_ == kNone; }
  bool empty() const { return count_[0] + count_[1] == 0; }
  std::uint32_t count(bool writes) const { return count_[writes ? 1 : 0]; }
  std::uint64_t banks_waiting(bool writes) const { return waiting_[writes ? 1 : 0]; }

  void reset();                              // The queue is empty afterwards.
  Slot push(const WaitingRequest& request);  // the queue is not full
  void remove(Slot slot);

  WaitingRequest& operator[](Slot slot) { return nodes_[slot].request; }
  const WaitingRequest& operator[](Slot slot) const { return nodes_[slot].request; }

  // The oldest request of a bank, and the next younger one of the same list; kNone after the last.
  Slot oldest(bool writes, std::uint32_t bank) const { return lists_[writes ? 1 : 0][bank].head; }
  Slot next(Slot slot) const { return nodes_[slot].next; }

  // The oldest request for `row` from `slot` on, that of `slot` included.
  Slot find_row(Slot slot, std::uint32_t row) const {
    while (slot != kNone && nodes_[slot].request.row != row) slot = nodes_[slot].next;
    return slot;
  }

 private:
  struct Node {
    WaitingRequest request;
    Slot previous = kNone;
    Slot next = kNone;
  };
  struct List {
    Slot head = kNone;
    Slot tail = kNone;
  };

  std::vector<Node> nodes_;
  Slot free_ = kNone;  // head of the list of unused nodes
  std::array<std::vector<List>, 2> lists_;
  std::array<std::uint32_t, 2> count_{};
  std::array<std::uint64_t, 2> waiting_{};
};

}  // namespace heddle
