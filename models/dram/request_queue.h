#pragma once
// The RequestQueue holds the requests that wait at one memory channel. Each bank has one list of reads and
// one list of writes, in order of arrival.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// A RowOutcome is the state in which a request found its bank.
enum class RowOutcome : std::uint8_t {
  kHit,       // the row was open, or had been activated for another request
  kMiss,      // the bank was closed, and the row was activated for this request
  kConflict,  // another row was precharged for this request
};

struct WaitingRequest {
  std::uint64_t token = 0;    // the number that the controller's owner chose
  std::uint64_t arrival = 0;  // number among all requests of the channel, in order of arrival
  Cycle accepted;
  std::uint32_t row = 0;
  std::uint32_t bank = 0;
  AccountId account;
  bool write = false;
  RowOutcome outcome = RowOutcome::kHit;
  ContextId context{};  // none() if the owner does not know it
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

  void reset();                              // empties the queue
  Slot push(const WaitingRequest& request);  // requires a queue that is not full
  void remove(Slot slot);

  WaitingRequest& operator[](Slot slot) { return nodes_[slot].request; }
  const WaitingRequest& operator[](Slot slot) const { return nodes_[slot].request; }

  // These return the oldest request of a bank, and the next younger request of the same list, or kNone if
  // there is none.
  Slot oldest(bool writes, std::uint32_t bank) const { return lists_[writes ? 1 : 0][bank].head; }
  Slot next(Slot slot) const { return nodes_[slot].next; }

  // Returns the oldest request for `row`, starting with `slot`, or kNone.
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
  Slot free_ = kNone;  // head of the list of free nodes
  std::array<std::vector<List>, 2> lists_;
  std::array<std::uint32_t, 2> count_{};
  std::array<std::uint64_t, 2> waiting_{};
};

}  // namespace heddle
