#pragma once
// NextCommands has the rows and the waiting requests of all banks of a controller, and knows the next command
// of each bank and when it is legal. The next request of a bank is the oldest one for its open row while the
// scheduler keeps the row, and else its oldest request; a scheduler that ranks requests states another order
// (request_ranking.h). The next request decides the next command: column, activate, or a precharge of another
// row. Only requests of the present direction, reads or writes, count.
//
// The owner says what has changed: a request has come, a command has been issued, the direction has turned,
// or a refresh has closed banks to requests. Then it asks which banks have a legal command:
//
//   slot.columns = commands.ready(NextCommands::kColumn, now, next);
//   slot.activates = commands.ready(NextCommands::kActivate, now, next);

#include <array>
#include <cstdint>
#include <vector>

#include "models/dram/address_map.h"
#include "models/dram/request_queue.h"
#include "models/dram/timing_table.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

class NextCommands {
 public:
  enum Kind : std::uint8_t { kColumn, kActivate, kPrecharge, kKinds };

  // The table and the scheduler must live as long.
  NextCommands(const DramSpec& spec, const LocalMap& map, const TimingTable& timing,
               DramScheduler& scheduler);

  // Drops every request and closes every row. The direction is that of reads.
  void reset();

  const RequestQueue& queue() const { return queue_; }
  BankMask open() const { return open_; }  // the banks with an open row
  bool is_open(std::uint32_t bank) const { return (open_ >> bank & 1) != 0; }
  std::uint32_t row(std::uint32_t bank) const { return banks_[bank].row; }  // the last one that was opened
  BankMask banks_waiting() const { return queue_.banks_waiting(false) | queue_.banks_waiting(true); }

  // Adds a request to the queue, which is not full. Returns the first cycle at which the next command of its
  // bank is legal by the rules of the present, or never if that command is none or the same as before.
  Cycle add(const WaitingRequest& request, std::uint32_t group);

  // Takes the request of the next column command of the bank from the queue. served() follows after the
  // command has been issued to the table.
  struct Served {
    WaitingRequest request;
    bool more_waiting = false;  // whether other requests for its row wait, reads or writes
  };
  Served serve(std::uint32_t bank);
  void served(std::uint32_t bank, bool closes_row);
  // Returns the request whose row the next activate of the bank opens.
  const WaitingRequest& to_activate(std::uint32_t bank) const { return queue_[to_open(bank)]; }
  // The following calls are made after the command has been issued to the table.
  void activated(std::uint32_t bank);
  void precharged(std::uint32_t bank);  // for a request of another row
  void precharged_for_refresh(std::uint32_t bank);
  void precharged_all();  // for a refresh

  void turn(bool writing);       // the direction has changed
  void hold(BankMask banks);     // the banks take no commands of requests from now on
  void release(BankMask banks);  // they take commands again
  void rerank();                 // priorities have changed

  // The following are for a scheduler that ranks requests.
  // Returns the entry of the request of the next command of the bank, which is not none.
  RequestQueue::Slot next_request(std::uint32_t bank) const { return ranked_[bank]; }
  // Returns the oldest request of the present direction, which is not none.
  const WaitingRequest& oldest_request() const;

  // A bank may keep its row open for requests of the other direction. The function ends that for all banks if
  // every request of the present direction waits for such a bank.
  void release_kept_rows() {
    if (kept_ != 0 && waiting() == 0) drop_kept_rows();
  }

  // All banks with a next command, whether or not it is legal.
  BankMask waiting() const {
    return waiting_[kColumn].all() | waiting_[kActivate].all() | waiting_[kPrecharge].all();
  }
  BankMask waiting(Kind kind) const { return waiting_[kind].all(); }
  // See CommandSlotView.
  const std::uint64_t* arrival() const { return arrival_.data(); }
  const RequestPriority* priority() const { return ranking_ == nullptr ? nullptr : priority_.data(); }

  // Returns the banks whose next command is of this kind, if it is legal at `now`. If the command of another
  // bank becomes legal only later, the function lowers `next` to that cycle or an earlier one. The values of
  // `now` of successive calls never decrease.
  BankMask ready(Kind kind, Cycle now, Cycle& next) {
    const Waiting& waiting = waiting_[kind];
    if (waiting.all() == 0) return 0;
    if (const Cycle shared = waiting.legal[0]; shared > now) {
      next = shared < next ? shared : next;
      return 0;
    }
    return ready_banks(kind, now, next);
  }
  // Returns a cycle that is at most the first one at which a next command is legal, and at most `limit`.
  Cycle next_event(Cycle limit) const;

 private:
  using Slot = RequestQueue::Slot;
  struct Bank {
    std::uint32_t row = 0;
    Slot row_hit = RequestQueue::kNone;  // the oldest request for the open row, in this direction
    std::uint32_t bypassed = 0;          // see OpenRowView
    bool conflict = false;               // its row was precharged for another row
    bool unused = false;                 // no request has used its row since the activate
  };
  struct Waiting {
    BankMask ready = 0;  // banks whose own rules allow the command
    BankMask later = 0;  // the other banks, and banks that have changed since their rules were checked
    Cycle due = Cycle::never();    // at most the first cycle at which one of `later` is ready
    const Cycle* legal = nullptr;  // TimingTable::row() of the command
    BankMask all() const { return ready | later; }
  };

  static constexpr BankMask bit(std::uint32_t bank) { return BankMask{1} << bank; }
  BankMask ready_banks(Kind kind, Cycle now, Cycle& next);
  void check_later(Waiting& waiting, Cycle now);
  void set_direction(bool writing);
  void update(std::uint32_t bank);
  void update_all();
  void drop_kept_rows();
  // Returns the request whose row the next activate of the bank opens.
  Slot to_open(std::uint32_t bank) const {
    return ranking_ == nullptr ? queue_.oldest(writing_, bank) : ranked_[bank];
  }
  Slot first_ranked(std::uint32_t bank);

  const std::array<const Cycle*, 2> columns_legal_;  // TimingTable::row() of reads, writes
  const bool precharges_by_group_;                   // a timing rule of bank groups delays precharges
  DramScheduler& scheduler_;
  RequestRanking* const ranking_;  // null: the scheduler does not rank
  const std::uint32_t burst_;      // command clocks for which a burst occupies the data bus
  RequestQueue queue_;
  std::vector<Bank> banks_;
  std::vector<BankMask> groups_;  // by group: the mask of its banks
  BankMask open_ = 0;
  BankMask held_ = 0;  // by a refresh
  // Banks whose row was opened for a request of the other direction, and not used: it stays open until that
  // request is served, or until nothing else of this direction waits.
  BankMask kept_ = 0;
  bool writing_ = false;
  std::array<Waiting, kKinds> waiting_;  // banks with a request of the direction, by their next command
  std::vector<Kind> next_;               // by bank; kKinds: no request of the direction waits
  std::vector<Cycle> bank_ready_;        // by waiting bank: when its own rules allow its next command
  std::vector<std::uint64_t> arrival_;   // by waiting bank: number of its next request
  // If the scheduler ranks requests, these lists have the next request of each bank and the priority of that
  // request. A bank without a next request has kNone.
  std::vector<Slot> ranked_;
  std::vector<RequestPriority> priority_;
};

}  // namespace heddle
