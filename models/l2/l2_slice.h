#pragma once
// One slice of the L2: requests of 32 to 128 bytes within a line from the crossbar, requests within one burst
// to DRAM. A request reaches the tags after a fixed way; it holds the port a cycle for each sector it
// accesses (an atomic at least `atomic_cycles` for each lane), and all its sectors are decided together in
// the first of them. One that finds no room stalls those behind it. A write is answered when the tags have
// accepted it, all else when its last sector is there; data of replies leave at a sector a cycle, replies at
// one a cycle.
//
// Order: requests access the tags as they came. Replies to requests for the same bytes stay in order, but for
// a write's, which may overtake those of reads and atomics before it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"
#include "models/l2/l2_cache.h"
#include "models/stats/group.h"

namespace heddle {

class L2Slice : public sc_core::sc_module, public Clocked {
 public:
  struct Deps {
    ClockDomain& l2;
    std::uint32_t ksrs = 0;
    // The address within the slice, which chooses the set; none: the address itself.
    std::function<Address(Address physical)> local;
  };
  L2Slice(sc_core::sc_module_name name, const L2Spec& spec, const Deps& deps);

  tlm::tlm_target_socket<>& crossbar() { return requests_.socket; }
  tlm::tlm_initiator_socket<>& dram() { return dram_.socket; }

  void reset();
  void tick(Cycle now) override;
  bool idle() const;
  std::uint64_t progress() const { return progress_; }  // grows with every access, reply and fill
  std::string waiting_for() const;
  std::size_t payloads_in_use() const { return pool_.in_use(); }
  // Cycles of a stall that goes on are in the counters up to `now` afterwards.
  void settle_stats(Cycle now);
  Group& stats() { return stats_; }
  const L2Cache& cache() const { return cache_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Pending {  // a request that waits for fills
    Payload* payload = nullptr;
    std::uint32_t fills = 0;
    Cycle ready;  // had it been a hit; its reply leaves no earlier
  };
  struct Reply {
    Cycle due;
    Payload* payload = nullptr;
  };
  struct ToDram {
    Cycle due;
    Payload* payload = nullptr;
  };

  void free_all_pending();
  void collect_fills(Cycle now);
  void filled(const Payload& fill, Cycle now);
  void reply(Cycle now);
  void accept(Cycle now);
  void perform(Payload& payload, const RequestInfo& info, Cycle now);
  void queue_transfers(const RequestInfo& cause, Cycle now);
  void send(Cycle now);
  Cycle next_wake(Cycle now) const;
  Cycle reply_due() const;  // of the next reply, were it always taken; never: there is none

  L2Cache::Access access_of(const Payload& payload, const RequestInfo& info, Cycle now) const;
  bool replies_full() const { return hits_.size() + fills_.size() >= replies_limit_; }
  std::uint32_t room_to_dram() const;
  void stall(L2Cache::Stall reason, Cycle now);

  const L2Spec spec_;
  ClockDomain& l2_;
  ClockDomain::Sleeper sleeper_;
  const std::function<Address(Address)> local_;
  const std::size_t payloads_;  // of the pool
  const std::size_t replies_limit_;
  PayloadPool pool_;
  const RequestInfo nobody_;  // of requests that do not say
  MemoryTarget requests_;
  MemoryInitiator dram_;
  Group stats_;
  L2Cache cache_;
  L2Cache::Outcome outcome_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_pending_;
  Ring<Reply> hits_;   // in order of due cycle
  Ring<Reply> fills_;  // whose last fill has come; in order of due cycle
  Ring<ToDram> to_dram_;
  Cycle port_free_{0};
  Cycle reply_free_{0};
  L2Cache::Stall stall_ = L2Cache::Stall::kNone;
  Cycle stalled_since_{0};
  std::uint64_t progress_ = 0;

  std::array<Counter, L2Cache::kStalls> stall_cycles_;
  Counter replies_;
  Counter reply_blocked_cycles_;
};

}  // namespace heddle
