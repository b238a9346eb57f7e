#pragma once
// An L2Slice takes requests of 32 to 128 bytes within a line from the crossbar, and sends requests within one
// burst to DRAM. A request reaches the tags after a fixed delay. It occupies the port for one cycle per
// `width` bytes; an atomic occupies it for at least `atomic_cycles` per step. A step serves one lane, or with
// `atomic_sectors` one lane of each word of a sector, so that only lanes of one word wait for each other. All
// sectors of a request are looked up in the first of these cycles. A request that finds no room stalls the
// requests behind it. A write is answered when the tags have accepted it. Any other request is answered when
// its last sector is valid. At most one reply leaves in a cycle, and its data take one cycle per `width`
// bytes.
//
// Requests access the tags in order of arrival. Replies to requests for the same bytes stay in order, with
// two exceptions. The reply to a write may overtake the replies to earlier reads and atomics. Replies to SMs
// of one half of L2 may overtake replies to SMs of the other half.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/base/free_list.h"
#include "models/core/base/lazy_array.h"
#include "models/core/kernel/trace.h"
#include "models/core/link/memory_block.h"
#include "models/core/link/memory_link.h"
#include "models/core/link/request_pool.h"
#include "models/l2/half_crossing.h"
#include "models/l2/l2_cache.h"
#include "models/l2/waiting_replies.h"
#include "models/stats/group.h"

namespace heddle {

class L2Slice : public sc_core::sc_module, public Divided, public L2Block {
 public:
  struct Deps {
    ClockDomain& l2;
    // Returns the address within the slice, which chooses the set. If the function is empty, the physical
    // address chooses the set.
    std::function<Address(Address physical)> local;
    // Where L2 has two halves, the one of this slice.
    std::uint32_t half = 0;
  };
  L2Slice(sc_core::sc_module_name name, const L2Spec& spec, const Deps& deps);

  tlm::tlm_target_socket<>& crossbar() { return requests_.base_protocol(); }
  tlm::tlm_target_socket<>& port(std::uint32_t) override { return requests_.base_protocol(); }
  tlm::tlm_initiator_socket<>& dram() override { return dram_.base_protocol(); }
  LinkTarget* link(std::uint32_t) override { return &requests_; }
  LinkInitiator* dram_link() override { return &dram_; }

  void reset() override;
  Cycle work(Cycle now) override;
  Cycle finish(Cycle now) override;
  bool idle() const override;
  std::string waiting_for() const override;
  std::size_t requests_in_use() const { return pool_.in_use(); }
  // Adds the cycles of a present stall to the counters.
  void update_stats(Cycle now) override { account_stall(now); }
  Group& stats() override { return stats_; }
  void attach_stats(Group& parent) override { parent.attach(stats_); }
  const L2Cache& cache() const { return cache_; }
  void add_counts(AccountId account, LaunchCounts& counts) const override {
    counts.l2 += cache_.counts(account);
  }
  // Whether a request to DRAM that the launch caused has no response.
  bool holds(AccountId account) const override { return in_flight_.at(account) > 0; }
  void close(AccountId account) override { cache_.close(account); }
  void place(Address line) override { cache_.place(line, local_ ? local_(line) : line); }
  void trace(TraceSink& sink) override { trace_ = &sink; }
  const Counter& requests() const override { return cache_.requests(); }
  const Counter& lines_missed() const override { return cache_.lines_missed(); }

 private:
  struct Pending {  // a request that waits for fills
    MemoryRequest* request = nullptr;
    std::uint32_t fills = 0;
    Cycle ready;                 // the cycle at which a hit is answered; the reply leaves no earlier
    std::uint64_t crossing = 0;  // cycles from the fill to the reply, if that goes to the other half
    TagArray::Line line = TagArray::kNone;
  };
  struct ToDram {
    Cycle due;
    MemoryRequest* request = nullptr;
  };

  void collect_fills(Cycle now);
  void filled(const MemoryRequest& fill, Cycle now);
  void reply(Cycle now);
  void accept(Cycle now);
  void perform(MemoryRequest& request, Cycle now);
  // Returns by how many cycles the reply to an SM of the other half is later than one that is ready in the
  // cycle `ready`. They are those of the way, if data cross, or else those until the copy is there.
  std::uint64_t cross(const MemoryRequest& request, Cycle ready, Cycle now);
  void queue_transfers(const MemoryRequest& cause, Cycle now);
  void send(Cycle now);
  void tell_ports(Cycle now);           // from when on the slice takes and sends
  Cycle next_request(Cycle now) const;  // the first cycle at which room at DRAM is to wake the slice
  Cycle reply_due() const;              // when the next reply can leave if the crossbar takes it, or never
  Cycle next_wake(Cycle now) const { return std::min(requests_.due(now), dram_.due(now)); }

  L2Cache::Access access_of(const MemoryRequest& request, Cycle now) const;
  std::uint32_t room_to_dram() const;
  void stall(L2Cache::Stall reason, Cycle now);
  void account_stall(Cycle now);  // adds its cycles up to `now` to the counters
  // Called for a request that is followed, or, with a trace, for every request.
  void tell(TraceStage stage, const MemoryRequest& request, Cycle since, Cycle now);

  const L2Spec spec_;
  ClockDomain::Sleeper sleeper_;
  const std::function<Address(Address)> local_;
  const std::size_t transfers_;  // number of requests in the pool
  RequestPool<> pool_;           // of requests to DRAM
  LinkTarget requests_;
  LinkInitiator dram_;
  Group stats_;
  L2Cache cache_;
  L2Cache::Outcome outcome_;
  LazyArray<Pending> pending_;
  FreeList free_pending_;
  HalfCrossing crossing_;
  WaitingReplies waiting_;
  Ring<ToDram> to_dram_;
  AccountTable<std::uint32_t> in_flight_;  // requests to DRAM without a response
  Cycle port_free_{0};
  Cycle reply_free_{0};
  L2Cache::Stall stall_ = L2Cache::Stall::kNone;
  Cycle stalled_since_{0};
  TraceSink* trace_ = nullptr;  // null: there is no trace

  std::array<Counter, L2Cache::kStalls> stall_cycles_;
  Counter replies_;
  Counter reply_blocked_cycles_;
};

}  // namespace heddle
